from __future__ import annotations

import json
from pathlib import Path

import pytest

from seatrial.cli.main import main

AGENT = """\
name: shop
model: {provider: local, name: minilm-extractive}
instructions: Help.
tools:
  - {name: docs, type: vectorstore, description: What the shop says., source: docs, top_k: 1}
  - {name: prices, type: vectorstore, description: What things cost., source: prices.csv}
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "faq.md").write_text("# Returns\n\nYou can send goods back within 30 days.\n")
    (tmp_path / "docs" / "sea.txt").write_text("We are a family business by the sea.\n")
    (tmp_path / "prices.csv").write_text("sku,name,price\nA-1001,Blue ceramic mug,12.50\n")
    (tmp_path / "agent.yaml").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def seatrial(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["index", *arguments])
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def test_index_builds_every_index_and_then_only_what_changed(shop: Path, seatrial) -> None:
    assert seatrial() == (
        0,
        "docs: 2 files, 2 passages (2 read, 2 passages embedded)\n"
        "prices: 1 file, 1 passage (1 read, 1 passage embedded)\n",
        "",
    )
    (shop / "docs" / "sea.txt").unlink()
    assert seatrial("--tool", "docs")[1] == "docs: 1 file, 1 passage (0 read, 1 removed, 0 passages embedded)\n"


def test_rebuild_reads_and_embeds_everything_again(shop: Path, seatrial) -> None:
    seatrial()
    _, out, _ = seatrial("--rebuild", "--json")
    assert json.loads(out)["docs"] == {
        "files": 2,
        "files_read": 2,
        "files_embedded": 2,
        "files_removed": 0,
        "chunks": 2,
        "embedded_chunks": 2,
        "problems": [],
    }


def test_stats_show_what_is_there_and_build_nothing(shop: Path, seatrial) -> None:
    assert "docs: 0 files, 0 passages" in seatrial("--stats")[1]
    seatrial()
    stats = json.loads(seatrial("--stats", "--json")[1])
    assert (stats["docs"]["files"], stats["docs"]["chunks"]) == (2, 2)
    assert stats["docs"]["embedder"].startswith("all-MiniLM-L6-v2")
    assert stats["docs"]["bytes_on_disk"] > 1000


def test_search_shows_passages_with_source_and_score(shop: Path, seatrial) -> None:
    code, out, _ = seatrial("search", "may I return what I bought?")
    assert code == 0
    assert "docs: 1 passage\n\n1. faq.md#returns  0." in out
    assert "   You can send goods back within 30 days." in out
    assert "1. prices.csv record 1" in out
    assert "   sku: A-1001; price: 12.50" in out


def test_search_takes_its_options(shop: Path, seatrial) -> None:
    found = json.loads(seatrial("search", "A-1001", "--tool", "prices", "--mode", "keyword", "--json")[1])
    assert found["query"] == "A-1001"
    (hit,) = found["results"]["prices"]
    assert (hit["source_reference"], hit["relevance_score"]) == ("prices.csv record 1", 1.0)
    assert seatrial("search", "zebra", "--min-score", "0.99")[1] == "docs: 0 passages\nprices: 0 passages\n"


def test_globs_choose_the_files_of_a_folder_and_take_effect_at_once(shop: Path, seatrial) -> None:
    for text, told in (
        ("source: docs", "2 files, 2 passages (2 read, 2 passages embedded)"),
        ("source: docs, include: ['*.md']", "1 file, 1 passage (0 read, 1 removed, 0 passages embedded)"),
        ("source: docs, exclude: faq.md", "1 file, 1 passage (1 read, 1 removed, 0 passages embedded)"),
    ):
        (shop / "agent.yaml").write_text(AGENT.replace("source: docs", text))
        assert seatrial("--tool", "docs")[1] == f"docs: {told}\n"


def test_a_tools_own_way_of_searching_and_reranker_are_used(shop: Path, seatrial) -> None:
    (shop / "rank.py").write_text(
        "def last_first(query, results):\n    print('hi')\n    return [i / len(results) for i in range(len(results))]\n"
    )
    own = "source: docs, search_mode: fusion, reranker: 'rank.py:last_first'"
    (shop / "agent.yaml").write_text(AGENT.replace("source: docs", own))
    code, out, _ = seatrial("search", "goods back", "--tool", "docs", "--json")
    assert code == 0
    (hit,) = json.loads(out)["results"]["docs"]
    assert (hit["source_reference"], hit["relevance_score"]) == ("sea.txt", 0.5)
    (shop / "rank.py").write_text("def last_first(query, results):\n    return [2]\n")
    code, _, err = seatrial("search", "goods back", "--tool", "docs")
    assert code == 1
    assert "the reranker rank.py:last_first gave 1 scores for 2 passages" in err


def test_agent_and_tool_are_heard_before_the_subcommand_too(
    shop: Path, seatrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop / "docs")
    code, out, _ = seatrial("-a", "..", "--tool", "prices", "search", "mug")
    assert (code, out.splitlines()[0]) == (0, "prices: 1 passage")


def test_problems_of_files_are_told_and_no_failure(shop: Path, seatrial) -> None:
    (shop / "docs" / "broken.json").write_text("{")
    code, _, err = seatrial()
    assert code == 0
    assert "warning: broken.json:1:2: this is not JSON" in err


def test_a_source_without_documents_is_an_error(shop: Path, seatrial) -> None:
    (shop / "docs" / "faq.md").unlink()
    (shop / "docs" / "sea.txt").unlink()
    code, _, err = seatrial()
    assert code == 2
    assert "holds nothing to search" in err
    assert ".md" in err
    assert ".pdf" in err


def test_a_tool_that_is_not_there_is_an_error_that_names_the_others(shop: Path, seatrial) -> None:
    code, _, err = seatrial("--tool", "nope")
    assert code == 2
    assert "no vectorstore tool 'nope'" in err
    assert "known: docs, prices" in err
    (shop / "agent.yaml").write_text(AGENT.split("tools:")[0])
    assert "no tool of type vectorstore" in seatrial()[2]


def test_control_characters_of_documents_do_not_reach_the_terminal(shop: Path, seatrial) -> None:
    (shop / "docs" / "sea.txt").write_text("family \x1b[2J business \x07 by the sea")
    assert "\x1b" not in seatrial("search", "family business by the sea")[1]
