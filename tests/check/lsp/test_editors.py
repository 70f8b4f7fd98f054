"""Neovim itself, with the set-up of docs/editors.md: findings, hover and actions are there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.check.lsp.client import COFFEE, CONFIGURATION
from tests.check.lsp.test_docs import block

pytestmark = pytest.mark.full  # other people's programs

# Before 0.11 Neovim has no table of servers: the same settings are started by its older functions.
OLDER = """
if not vim.lsp.enable then
  local configs = {}
  vim.lsp.config = function(name, config) configs[name] = config end
  vim.lsp.enable = function(name)
    local config = configs[name]
    vim.api.nvim_create_autocmd("FileType", { pattern = config.filetypes, callback = function(event)
      local root = vim.fs and vim.fs.dirname(event.file) or vim.fn.getcwd()
      local id = vim.lsp.start_client({ name = name, cmd = config.cmd, root_dir = root })
      vim.lsp.buf_attach_client(event.buf, id)
    end })
  end
end
"""
LOOK = """
vim.cmd("filetype on")
vim.cmd("edit page.md")
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local codes = {}
for _, found in ipairs(vim.diagnostic.get(0)) do table.insert(codes, { found.lnum, found.message, found.source }) end
local params = vim.lsp.util.make_position_params(0, "utf-16")
local function ask(method, given)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, given, 60000) or {}) do return answer.result end
end
local hover = ask("textDocument/hover", params)
local position = { line = codes[1][1], character = 0 }
local range = { start = position, ["end"] = { line = position.line, character = 9999 } }
local actions = ask("textDocument/codeAction", {
  textDocument = params.textDocument, range = range, context = { diagnostics = {} } })
local titles = {}
for _, action in ipairs(actions or {}) do table.insert(titles, action.title) end
vim.fn.writefile({ vim.fn.json_encode({ codes = codes, hover = hover.contents.value, titles = titles }) }, "seen.json")
vim.cmd("qall!")
"""


def test_neovim_shows_findings_hover_and_actions(tmp_path: Path) -> None:
    program = shutil.which("nvim")
    if program is None:
        pytest.skip("Neovim is not installed (Debian: apt-get install neovim)")
    command = Path(sys.executable).with_name("steelyard")
    if not command.exists():
        pytest.skip("the command steelyard is not installed beside this Python")
    (tmp_path / "page.md").write_text(COFFEE)
    (tmp_path / "steelyard.toml").write_text(CONFIGURATION)
    (tmp_path / "init.lua").write_text(OLDER + block("lua"))
    (tmp_path / "look.lua").write_text(LOOK)
    done = subprocess.run(
        [program, "--headless", "-n", "-i", "NONE", "-u", "init.lua", "-S", "look.lua"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert (tmp_path / "seen.json").exists(), done.stdout + done.stderr
    seen = json.loads((tmp_path / "seen.json").read_text("utf-8"))
    assert {source for _, _, source in seen["codes"]} == {"steelyard"}
    assert len(seen["codes"]) >= 3
    assert re.search(r"\*\*Score \d+\.\d\d of 100\*\*", seen["hover"])
    assert any(title.startswith("Ignore this ") for title in seen["titles"])
    assert any(title.startswith("Explain ") for title in seen["titles"])
