"""The pages about stored audits: sites, history, one audit, what changed, the leaderboard."""

from __future__ import annotations

import re
import shutil
from urllib.parse import urlsplit

import jsonschema
from lxml import html as lxml_html

from steelyard.pages.descriptions import SCOPE
from steelyard.web import schemas
from steelyard.web.chart import Median, draw_history
from tests.conftest import ROOT, run_here
from tests.web.addresses import PAGES, fill_address
from tests.web.stored import HOSTILE_PAGE, SITE, add_rescored


def test_an_empty_store_says_how_to_begin(serve, tmp_path) -> None:
    client = serve(store=str(tmp_path / "new.sqlite"))
    for path in ("/sites", "/leaderboard"):
        found = client.get(path)
        assert found.status_code == 200
        assert "Start an audit" in found.text
    assert client.get("/api/sites").json() == {"sites": []}
    assert client.get("/sites/example.org").status_code == 404
    assert client.get("/api/sites/example.org").status_code == 404


def test_sites_are_listed_with_their_last_audit(serve, store: str) -> None:
    client = serve(store=store)
    tree = lxml_html.fromstring(client.get("/sites").text)
    assert sorted(tree.xpath("//tbody//a/@href")) == ["/sites/127.0.0.1%3A8000", f"/sites/{SITE}"]
    found = client.get("/api/sites").json()
    assert [site["site"] for site in found["sites"]] == ["127.0.0.1:8000", SITE]
    for site in found["sites"]:
        jsonschema.validate(site, schemas.STORED_SITE)


def test_a_site_has_a_chart_and_the_same_numbers_in_a_table(serve, store: str) -> None:
    client = serve(store=store)
    tree = lxml_html.fromstring(client.get(f"/sites/{SITE}").text)
    means = tree.xpath("//section[@aria-labelledby='audits-heading']//tbody/tr/td[6]/text()")
    assert len(means) == len(tree.xpath("//circle")) == 3
    assert all(mean in tree.xpath("string(//svg/@aria-label)") for mean in means)
    scores = [float(text) for text in tree.xpath("//table[@class='begin']//td[2]/text()")]
    assert scores == sorted(scores)
    assert tree.xpath("//table[@class='todo']//a/@href")
    audits = client.get(f"/api/sites/{SITE}").json()["audits"]
    assert [audit["id"] for audit in audits] == [3, 2, 1]
    for audit in audits:
        jsonschema.validate(audit, schemas.STORED_AUDIT)


def test_an_audit_lists_pages_worst_first_and_why_others_have_no_score(serve, store: str) -> None:
    client = serve(store=store)
    text = client.get(f"/sites/{SITE}/audits/3").text
    tree = lxml_html.fromstring(text)
    assert "timed out after 30 s" in text
    assert "is built by a script &lt;b&gt;that&lt;/b&gt; was not run" in text
    assert urlsplit(HOSTILE_PAGE)._replace(scheme="", netloc="").geturl() in tree.text_content()
    assert not tree.xpath("//script[not(@src)]")
    assert client.get(f"/sites/{SITE}/audits/4").status_code == 404  # of the other site
    assert client.get(f"/sites/{SITE}/audits/999").status_code == 404


def test_what_changed_between_two_audits_is_shown_with_its_cause(serve, store: str) -> None:
    client = serve(store=store)
    tree = lxml_html.fromstring(client.get(f"/sites/{SITE}/diff").text)
    lead = tree.xpath("string(//p[@class='lead'])")
    minute = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC, as of"  # audits of one day are told apart
    assert re.search(rf"From audit 2 \({minute} 2026-06-01\) to audit 3 \({minute} 2026-07-01\)", lead)
    assert len(re.findall(minute, client.get(f"/sites/{SITE}").text)) == 9  # the table, and what to compare
    tree = lxml_html.fromstring(client.get(f"/sites/{SITE}/diff", params={"old": "1", "new": "3"}).text)
    assert "page" in " ".join(tree.xpath("//table[1]/tbody/tr/td[7]/text()"))
    assert "3 suggestions resolved, 0 new" in tree.xpath("string(//h2[@id='other-heading']/..)")
    for wrong in ("99", "x" * 1000, "<script>"):
        found = client.get(f"/sites/{SITE}/diff", params={"old": wrong})
        assert found.status_code in (404, 422)
        assert "<script>" not in found.text


def test_every_page_that_an_audit_lists_leads_to_its_view(serve, store: str) -> None:
    client = serve(store=store)
    tree = lxml_html.fromstring(client.get(f"/sites/{SITE}/audits/3").text)
    places = {place.partition("#")[0] for place in tree.xpath("//main//a[contains(@href, '/page?url=')]/@href")}
    assert len(places) == 8
    for place in places:
        found = client.get(place)
        assert found.status_code == 200, place
        view = lxml_html.fromstring(found.text)
        assert view.xpath("//p[@class='score']/b"), place
        assert "Earlier scores" in found.text, place
        assert not view.xpath("//body//script | //img"), place
    assert client.get(f"/sites/{SITE}/audits/3/page", params={"url": "https://example.org/page-7"}).status_code == 404
    assert client.get(f"/sites/{SITE}/audits/3/page").status_code == 404


def test_an_audit_is_exported_as_one_file(serve, store: str) -> None:
    client = serve(store=store)
    found = client.get(f"/sites/{SITE}/audits/3/report")
    assert found.headers["content-disposition"].startswith("attachment")
    tree = lxml_html.fromstring(found.text)
    assert len(tree.xpath("//details[@class='page']")) == 8
    assert "<script>alert(1)" not in found.text


def test_audits_under_another_edition_are_marked_in_the_chart_and_in_no_comparison(serve, store: str, tmp_path) -> None:
    mixed = shutil.copy(store, tmp_path / "mixed.sqlite")
    add_rescored(str(mixed))
    client = serve(store=str(mixed))
    tree = lxml_html.fromstring(client.get(f"/sites/{SITE}").text)
    assert len(tree.xpath("//circle")) == 4
    assert [len(line.split()) for line in tree.xpath("//polyline/@points")] == [3, 1]
    assert tree.xpath("//line[@class='change']/following-sibling::text[1]/text()") == ["edition 2026"]
    tree = lxml_html.fromstring(client.get(f"/sites/{SITE}/diff").text)
    cards = {card.xpath("string(span)"): card.xpath("string(b)") for card in tree.xpath("//ul[@class='cards']/li")}
    assert (cards["worsened"], cards["improved"], int(cards["rescored"]) > 0) == ("0", "0", True)
    assert "scored in another way" in tree.text_content()
    assert not tree.xpath("//table[@class='stacked']")


def test_the_leaderboard_ranks_the_sites(serve, store: str) -> None:
    client = serve(store=store)
    found = client.get("/leaderboard")
    assert found.status_code == 200
    rows = lxml_html.fromstring(found.text).xpath("//tbody/tr")
    assert len(rows) == 2
    document = client.get("/api/leaderboard").json()
    assert [row["rank"] for row in document["boards"][0]["domains"]] == [1, 2]


def test_every_page_with_a_score_says_what_it_is(serve, store: str) -> None:
    client = serve(store=store)
    stored = [path for path in PAGES if path.startswith(("/sites", "/leaderboard"))]
    assert len(stored) == 6
    for path in (fill_address(path, SITE, 3) for path in stored):
        assert SCOPE in lxml_html.fromstring(client.get(path).text).xpath("string(//main)"), path


def test_a_store_that_cannot_be_used_is_explained_without_a_password(serve, tmp_path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database " * 500)
    for url, name in ((str(broken), "broken.sqlite"), ("postgresql://user:secret-word@127.0.0.1:1/none", "none")):
        client = serve(store=url)
        for path in ("/api/sites", "/sites"):
            found = client.get(path)
            assert (found.status_code, name in found.text, "secret-word" in found.text) == (503, True, False), path


def test_a_chart_needs_two_audits_and_stays_inside_its_frame() -> None:
    assert draw_history([Median("2026-01-01", 50.0, "paper")]) is None
    chart = draw_history(
        [
            Median("2026-01-01", -5.0, "paper"),
            Median("2026-02-01", 105.0, "2026", True),
            Median("2026-03-01", 50.0, "2026"),
        ]
    )
    assert chart is not None
    assert all(0 <= point.x <= 640 and 0 <= point.y <= 220 for point in chart.points)
    assert len(chart.changes) == 1
    near = draw_history([Median("2026-01-01", 71.2, "paper"), Median("2026-02-01", 72.9, "paper")])
    assert near is not None
    assert near.grid[0][0] >= 65
    assert near.points[0].y - near.points[1].y > 15


def test_an_audit_shows_its_access_and_hostile_logs_as_text(serve, tmp_path) -> None:
    script = "<script>alert(1)</script>"
    log = f'1.2.3.4 - - [{script}] "GET /{script} HTTP/1.1" 404 1 "-" "GPTBot {script}"\n'
    (tmp_path / "a.log").write_text(log + log.replace("404", "200"))
    kept = str(tmp_path / "kept.sqlite")
    done = run_here("audit", "--from-dir", ROOT / "examples" / "html", "--log", "a.log", "--store", kept, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = serve(store=kept).get("/sites/html/audits/1").text
    tree = lxml_html.fromstring(text)
    (section,) = tree.xpath("//section[@aria-labelledby='access']")
    assert "pages pass all checks" in section.text_content()
    assert "2 of known AI agents" in section.text_content()
    assert script in section.text_content()
    assert script not in text
    assert not section.xpath(".//script")
