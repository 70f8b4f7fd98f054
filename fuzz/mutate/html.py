"""Mutations of HTML: tags dropped, doubled, swapped and nested, attributes changed, hostile elements put in."""

from __future__ import annotations

import random
import re

from fuzz.mutate.text import ODD, SCALES, mutate_characters

ELEMENTS = (
    "<script>document.write('<p>x</p>')</script>",
    "<script type='application/ld+json'>{\"datePublished\":\"2025-01-02\"}</script>",
    "<script type='application/ld+json'>[[[{\"@graph\":[1,null,{\"dateModified\":7}]}</script>",
    "<style>p{display:none}</style>",
    "<template><p>never shown</p></template>", "<noscript><p>no script</p></noscript>",
    "<svg><title>x</title><path d='M0'/></svg>",
    "<math><annotation>x^2</annotation><mi>x</mi></math>", "<p hidden>hidden words</p>", "<p aria-hidden=true>x</p>",
    "<p style='display:none'>x</p>", "<p style=\"font-size:0;opacity:0\">x</p>", "<meta charset=utf-16>",
    "<base href='//e.example/'>",
    "<meta property='og:title' content='A &lt;b&gt; title'>",
    "<meta property='article:modified_time' content='2025-99-99'>",
    "<time datetime='2024-02-30'>x</time>", "<link rel=canonical href='https://e.example/ a'>", "<title></title>",
    "<h1>Another head</h1>",
    "<table><tr><td colspan=999>x</td><td rowspan=0>y</td></tr></table>", "<table><tr><td><table><tr><td>in",
    "<ul><li><ul><li>x</ul>",
    "<ol start=-9><li value=1e9>x</ol>", "<blockquote><p>“Tides turn,” said Anna Weir.</p></blockquote>",
    "<pre><code>a &lt; b\n</code></pre>",
    "<a href='javascript:x()'>x</a>", "<a href='https://o.example/?a=1&copy=2'>source</a>", "<a name=x></a>",
    "<img src=x onerror=x() alt='a'>",
    "<iframe srcdoc='<p>x</p>'></iframe>", "<o:p>word</o:p>", "<x-y-z>custom</x-y-z>", "<p/>", "<br><br><br>",
    "<!-- a comment -->",
    "<!--", "-->", "<![CDATA[x]]>", "<?php echo 1 ?>", "<!doctype html>", "</html>", "</body>", "</p></p></p>", "<p",
    "<p a='", "<>", "</>",
    "<p a b c=d e='f' g=\"h\" a>x</p>", "<p a/b/c>x</p>", "&#0;", "&#1;", "&#x110000;", "&#xd800;", "&nosuch;",
    f"&#{'1' * 5_000};", f"&amp;#{'9' * 5_000};", "&#0000000000065;",
    "&amp;lt;script&amp;gt;",
    "&lt;script&gt;alert(1)&lt;/script&gt;", "\\(x^2\\)", "\\[",
    "<form><input value='x'><button>Buy</button></form>", "<nav>Home | About</nav>",
    "<div class='comment'>I love it! 5/5</div>", "<footer>© 2025 <a href='/privacy'>Privacy</a></footer>",
    "<frameset><frame src=x></frameset>",
    "<plaintext>", "<textarea>", "<title>", "<select><option>a", "<ruby>漢<rt>kan</rt></ruby>",
    "<bdo dir=rtl>abc</bdo>", "<article>", "<main>",
)  # fmt: skip
_TOKENS = re.compile(r"<[^<>]*>|[^<]+|<")


def mutate_html(rng: random.Random, page: str) -> str:
    """Return the page after one random change."""
    if rng.random() < 0.2:
        return mutate_characters(rng, page)
    tokens = _TOKENS.findall(page) or [""]
    at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    match rng.randrange(9):
        case 0:
            del tokens[at]
        case 1:
            tokens.insert(other, tokens[at])
        case 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case 3:
            tokens.insert(at, rng.choice(ELEMENTS))
        case 4:
            tokens[at] = _wrap(rng, tokens[at])
        case 5:
            first, last = sorted((at, other))
            tokens[first:last] = tokens[first : min(last, first + 9)] * min(9, rng.choice(SCALES))
        case 6:
            tokens[at] = tokens[at].replace(" ", rng.choice((" x=1 ", "/", "\n", "\0", ' style="', " hidden ")), 1)
        case 7:
            tokens[at] = mutate_characters(rng, tokens[at])
        case _:
            tokens.insert(at, rng.choice(ODD) * rng.choice(SCALES))
    return "".join(tokens)


def _wrap(rng: random.Random, token: str) -> str:
    name = rng.choice("div p span b a ul li table td blockquote pre section article h2 font q sup".split())
    times = rng.choice(SCALES)
    return f"<{name}>" * times + token + f"</{name}>" * rng.choice((times, times, 0, times + 1))
