"""The look of the HTML report."""

CSS = """
:root{--ink:#1b1e23;--dim:#626a75;--line:#d9dde3;--paper:#fff;--bar:#3d6fb4;--track:#e8ecf1}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--dim:#9aa3ae;--line:#353b44;--paper:#16191d;--bar:#7aa5e0;
--track:#2a3038}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h1{margin:0;font-size:1.6rem}h2{margin:2.2rem 0 .2rem;font-size:1.15rem;overflow-wrap:anywhere}
h2 b{float:right;font-size:1.4rem}
.scope{margin:.2rem 0;font-weight:600}.dim,.constant td{color:var(--dim);margin:.2rem 0}
.title{margin:.1rem 0;font-style:italic}
.summary{font-size:1.1rem}
table{border-collapse:collapse;width:100%;margin:.6rem 0}th{font-weight:600;text-align:left;color:var(--dim)}
th,td{padding:.15rem .5rem .15rem 0;border-bottom:1px solid var(--line);vertical-align:middle}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.index td:first-child{overflow-wrap:anywhere}
.meter{display:inline-block;width:9rem;height:.6rem;background:var(--track);border-radius:.3rem;overflow:hidden}
.meter i{display:block;height:100%;background:var(--bar)}
.dist{margin:1rem 0}.dist div{display:flex;align-items:flex-end;height:5rem;gap:2px;border-bottom:1px solid var(--line)}
.dist i{flex:1;background:var(--bar);min-height:1px}
.dist figcaption{display:flex;justify-content:space-between;color:var(--dim)}
.moves{margin:.2rem 0;padding-left:1.2rem}.moves b{font-variant-numeric:tabular-nums}
.errors li{overflow-wrap:anywhere}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.55 ui-monospace,monospace;
border-left:3px solid var(--line);padding-left:1rem}
mark{color:#14171a;border-radius:2px;padding:0 1px}
.m0{background:#ffd97a}.m1{background:#b8e3b0}.m2{background:#a9d4f5}.m3{background:#e3dff5}.m4{background:#f5b7b1}
summary{cursor:pointer;color:var(--dim);margin:.4rem 0}section{border-top:1px solid var(--line)}
@media print{details{display:block}}
"""
