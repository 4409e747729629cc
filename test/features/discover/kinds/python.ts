// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of files have their own placeholders.
/** Projects in Python. */
import { json, type Kind } from './kind.ts';

const IGNORED = '__pycache__\n.pytest_cache\n';
const INI = '\n[tool.pytest.ini_options]\naddopts = "-p no:cacheprovider"\n';

const pyTest = (imports: string, ...checks: readonly string[]): string =>
  `${imports}\n\n\n${checks.map((check, at) => `def test_${String.fromCharCode(97 + at)}():\n    assert ${check}\n`).join('\n\n')}`;

/** Tests in a folder of their own, which mirrors the source only in part. */
const beside: Kind = {
  name: 'Python, src and tests',
  needs: ['pytest'],
  suite: 'python3 -m pytest -q',
  files: {
    '.gitignore': IGNORED,
    'README.md': '# Shop\n',
    'pyproject.toml': `[project]\nname = "shop"\nversion = "1.0"\n${INI}pythonpath = ["src"]\n`,
    'requirements-dev.txt': 'pytest\n',
    'src/shop/__init__.py': '',
    'src/shop/tax/__init__.py': 'from .rates import rate\n\n__all__ = ["rate"]\n',
    'src/shop/tax/rates.py':
      'import json\nfrom pathlib import Path\n\nRATES = json.loads((Path(__file__).parent / "rates.json").read_text())\n\n\ndef rate(to):\n    return RATES[to]\n',
    'src/shop/tax/rates.json': json({ chf: 2, nok: 11 }),
    'src/shop/cart/__init__.py': '',
    'src/shop/cart/total.py':
      'from ..money import rounded\n\n\ndef total(prices):\n    return rounded(sum(prices))\n',
    'src/shop/money.py':
      'STEP = 5\n\n\ndef rounded(value):\n    return round(value / STEP) * STEP\n',
    'src/shop/checkout/__init__.py': '',
    'src/shop/checkout/pay.py':
      'import importlib\n\nfrom shop.cart.total import total\nfrom shop.tax import rate\n\n\ndef pay(prices, to, method="card"):\n    fee = importlib.import_module(f"shop.methods.{method}").fee\n    return total(prices) * rate(to) + fee()\n',
    'src/shop/methods/__init__.py': '',
    'src/shop/methods/card.py': 'def fee():\n    return 3\n',
    'src/shop/methods/cash.py': 'def fee():\n    return 1\n',
    'src/shop/cli.py':
      'import sys\n\nfrom shop.checkout.pay import pay\n\nif __name__ == "__main__":\n    print(pay([int(it) for it in sys.argv[1:]], "chf"))\n',
    'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [10, 21]\n',
    'tests/__init__.py': '',
    'tests/helpers.py': 'def many(count):\n    return [10] * count\n',
    'tests/data/bill.json': json({ prices: [5, 5], sum: 23 }),
    'tests/cart/__init__.py': '',
    'tests/cart/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef few():\n    return [2, 3]\n',
    'tests/cart/test_total.py':
      'from shop.cart.total import total\n\nfrom tests.helpers import many\n\n\ndef test_few(few):\n    assert total(few) == 5\n\n\ndef test_prices(prices):\n    assert total(prices) == 30\n\n\ndef test_many():\n    assert total(many(2)) == 20\n',
    'tests/test_tax.py': pyTest('from shop.tax import rate', 'rate("nok") == 11'),
    'tests/test_pay.py':
      'import json\nfrom pathlib import Path\n\nfrom shop.checkout.pay import pay\n\nBILL = json.loads((Path(__file__).parent / "data" / "bill.json").read_text())\n\n\ndef test_bill():\n    assert pay(BILL["prices"], "chf") == BILL["sum"]\n\n\ndef test_cash(prices):\n    assert pay(prices, "chf", "cash") == 61\n',
    'tests/integration/test_cli.py':
      'import os\nimport subprocess\nimport sys\n\n\ndef test_cli():\n    env = {**os.environ, "PYTHONPATH": "src"}\n    done = subprocess.run([sys.executable, "-m", "shop.cli", "10"], capture_output=True, text=True, env=env)\n    assert done.stdout == "23\\n"\n',
  },
  added: {
    'tests/cart/test_more.py': pyTest('', '1 == 2'),
    'tests/integration/test_more.py': pyTest('', '1 == 2'),
    'tests/test_more.py': pyTest('', '1 == 2'),
  },
};

/** Tests in the packages that they test. */
const inside: Kind = {
  name: 'Python, tests inside',
  needs: ['pytest'],
  suite: 'python3 -m pytest -q',
  files: {
    '.gitignore': IGNORED,
    'setup.cfg': '[metadata]\nname = ledger\n\n[tool:pytest]\naddopts = -p no:cacheprovider\n',
    'setup.py': 'from setuptools import setup\n\nsetup()\n',
    'conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef amount():\n    return 40\n',
    'ledger/__init__.py': '',
    'ledger/util.py': 'def twice(value):\n    return value * 2\n',
    'ledger/book/__init__.py': 'from ledger.book.entry import entry\n',
    'ledger/book/entry.py':
      'from ledger.util import twice\nfrom ledger import report\n\n\ndef entry(value):\n    return twice(value) + len(report.NAME)\n',
    'ledger/book/tests/__init__.py': '',
    'ledger/book/tests/cases.txt': '1 6\n4 12\n',
    'ledger/book/tests/test_entry.py':
      'import os\n\nfrom ledger.book import entry\n\n\ndef test_cases():\n    with open(os.path.join(os.path.dirname(__file__), "cases.txt")) as cases:\n        for line in cases:\n            given, wanted = line.split()\n            assert entry(int(given)) == int(wanted)\n\n\ndef test_amount(amount):\n    assert entry(amount) == 84\n',
    'ledger/report/__init__.py': 'NAME = "year"\n',
    'ledger/report/lines.py':
      'from ledger.book import entry\n\n\ndef line(value):\n    return f"{entry(value)} EUR"\n',
    'ledger/report/tests/__init__.py': '',
    'ledger/report/tests/conftest.py':
      'import pytest\n\n\n@pytest.fixture\ndef value():\n    return 3\n',
    'ledger/report/tests/test_lines.py':
      'from ledger.report.lines import line\n\n\ndef test_line(value):\n    assert line(value) == "10 EUR"\n',
    'ledger/export/__init__.py': '',
    'ledger/export/csv.py': 'def row(*cells):\n    return ";".join(str(it) for it in cells[:3])\n',
    'ledger/export/tests/test_csv.py': pyTest(
      'from ledger.export.csv import row',
      'row(1, 2, 3, 4) == "1;2;3"',
    ),
  },
  added: { 'ledger/export/tests/test_more.py': pyTest('', '1 == 2') },
};

const managed = (name: string, program: string, lock: string, toml: string): Kind => ({
  name,
  needs: ['pytest'],
  suite: `${program} run pytest -q`,
  standIns: { [program]: '[ "$1" = run ] || exit 64\nshift\nexec "$@"' },
  files: {
    '.gitignore': IGNORED,
    'pyproject.toml': `${toml}${INI}pythonpath = ["."]\n`,
    [lock]: '# resolved\n',
    'feed/__init__.py': '',
    'feed/parse/__init__.py': '',
    'feed/parse/lines.py': 'def parse(text):\n    return [int(it) for it in text.split(",")][:4]\n',
    'feed/store/__init__.py': '',
    'feed/store/memory.py':
      'from feed.parse.lines import parse\n\n\ndef keep(text):\n    return {"sum": sum(parse(text)) + 1}\n',
    'tests/factory.py': 'TEXT = "1,2,3"\n',
    'tests/snapshots/kept.json': json({ sum: 7 }),
    'tests/test_parse.py': pyTest(
      'from feed.parse.lines import parse',
      'parse("1,2,3,4,5") == [1, 2, 3, 4]',
    ),
    'tests/test_store.py':
      'import json\n\nfrom feed.store.memory import keep\n\nfrom .factory import TEXT\n\n\ndef test_snapshot():\n    with open("tests/snapshots/kept.json") as kept:\n        assert keep(TEXT) == json.load(kept)\n',
    'tests/__init__.py': '',
  },
  added: { 'tests/test_more.py': pyTest('', '1 == 2') },
});

export const PYTHON: readonly Kind[] = [
  beside,
  inside,
  managed(
    'Python, uv',
    'uv',
    'uv.lock',
    '[project]\nname = "feed"\nversion = "1.0"\n\n[dependency-groups]\ndev = ["pytest>=8"]\n',
  ),
  managed(
    'Python, Poetry',
    'poetry',
    'poetry.lock',
    '[tool.poetry]\nname = "feed"\nversion = "1.0"\n\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\n',
  ),
];
