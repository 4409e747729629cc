/** The project that lanes of the proof's table change, once for each test runner. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Files, Step } from '../../support/fake-worker.ts';

export type Runner = 'node' | 'vitest' | 'jest' | 'pytest' | 'go' | 'cargo';

/** One lane: what its worker does, starting from the project of its runner. */
export interface TriedLane {
  readonly name: string;
  readonly runner: Runner;
  readonly steps: readonly Step[];
  /** In place of the project's. */
  readonly validate?: string;
  /** What the coordinator says that the lane is to change. */
  readonly changesBehaviour?: string;
}

export const edit = (path: string, from: string, to: string): Step => ({
  edit: { path, from, to },
});

const CART = `import { money } from './money.js';

export function total(items, discount = 0) {
  const sum = items.reduce((all, it) => all + it.price * it.count * (it.count >= 10 ? 0.9 : 1), 0);
  return Math.round(sum * (1 - discount) * 100) / 100;
}

export function add(items, item) {
  if (!(item.count > 0)) throw new RangeError(\`count must be positive: \${item.count}\`);
  return [...items, item];
}

export async function load(read) {
  return JSON.parse(await read()).items;
}

export function receipt(items) {
  const lines = items.map(({ name, count, price }) => \`\${count} x \${name}  \${money(count * price)}\`);
  return [...lines, \`total  \${money(total(items))}\`, ''].join('\\n');
}
`;
const MONEY = 'export const money = (value) => value.toFixed(2);\n';
const ORDER = `{
  "items": [
    { "name": "book", "price": 9, "count": 1 },
    { "name": "pen", "price": 2, "count": 2 }
  ]
}
`;
const RECEIPT = '1 x book  9.00\n2 x pen  4.00\ntotal  13.00\n';

const NODE: Files = {
  'package.json':
    '{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/cart.js': CART,
  'src/money.js': MONEY,
  'test/fixtures/order.json': ORDER,
  'test/fixtures/receipt.txt': RECEIPT,
  'test/helpers.js': `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { total } from '../src/cart.js';

export const fixture = (name) => readFileSync(new URL(\`fixtures/\${name}\`, import.meta.url), 'utf8');
export const order = () => JSON.parse(fixture('order.json')).items;

export function checkTotal(items, value) {
  assert.equal(total(items), value);
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, load, receipt, total } from '../src/cart.js';
import { checkTotal, fixture, order } from './helpers.js';

test('total of an order', () => {
  checkTotal(order(), 13);
});
test('total with a discount', () => {
  assert.equal(total(order(), 0.5), 6.5);
});
test('a count has to be positive', () => {
  const item = { name: 'pen', price: 2, count: 0 };
  assert.throws(() => add([], item), { message: 'count must be positive: 0' });
});
test('an order that cannot be read', async () => {
  await assert.rejects(load(async () => 'no json'), SyntaxError);
});
test('receipt', () => {
  assert.equal(receipt(order()), fixture('receipt.txt'));
});
for (const [count, value] of [[1, 2], [9, 18], [10, 18]]) {
  test(\`price of \${count} pens\`, () => {
    checkTotal([{ name: 'pen', price: 2, count }], value);
  });
}
`,
};

/** Vitest and Jest write tests alike. */
const EXPECTING = `test('total of an order', () => {
  checkTotal(order(), 13);
});
test('total with a discount', () => {
  expect(total(order(), 0.5)).toBe(6.5);
});
test('a count has to be positive', () => {
  const item = { name: 'pen', price: 2, count: 0 };
  expect(() => add([], item)).toThrow('count must be positive: 0');
});
test('an order that cannot be read', async () => {
  await expect(load(async () => 'no json')).rejects.toThrow(SyntaxError);
});
test('receipt', () => {
  expect(receipt(order())).toMatchSnapshot();
});
test.each([[1, 2], [9, 18], [10, 18]])('price of %d pens', (count, value) => {
  checkTotal([{ name: 'pen', price: 2, count }], value);
});
`;
const CHECK_TOTAL = `function checkTotal(items, value) {
  expect(total(items)).toBe(value);
}
`;

const VITEST: Files = {
  'package.json':
    '{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "vitest run" } }\n',
  '.gitignore': 'node_modules\n',
  'src/cart.js': CART,
  'src/money.js': MONEY,
  'test/fixtures/order.json': ORDER,
  'test/helpers.js': `import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { total } from '../src/cart.js';

export const order = () =>
  JSON.parse(readFileSync(new URL('fixtures/order.json', import.meta.url), 'utf8')).items;

export ${CHECK_TOTAL}`,
  'test/__snapshots__/cart.test.js.snap': `// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[\`receipt 1\`] = \`
"${RECEIPT}"
\`;
`,
  'test/cart.test.js': `import { expect, test } from 'vitest';
import { add, load, receipt, total } from '../src/cart.js';
import { checkTotal, order } from './helpers.js';

${EXPECTING}`,
};

const common = (text: string): string =>
  text
    .replace(/^import \{ (.*) \} from '(.*)';$/gm, "const { $1 } = require('$2');")
    .replace(
      /^export (?:async )?function (\w+)/gm,
      (declared, name) => `exports.${name} = ${name};\n${declared.replace('export ', '')}`,
    )
    .replace(/^export const (\w+)/gm, 'exports.$1');

const JEST: Files = {
  'package.json': '{ "name": "shop", "private": true, "scripts": { "test": "jest" } }\n',
  '.gitignore': 'node_modules\n',
  'src/cart.js': common(CART),
  'src/money.js': common(MONEY),
  'test/fixtures/order.json': ORDER,
  'test/helpers.js': `const { total } = require('../src/cart.js');

exports.order = () => structuredClone(require('./fixtures/order.json')).items;

exports.checkTotal = checkTotal;
${CHECK_TOTAL}`,
  'test/__snapshots__/cart.test.js.snap': `// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing

exports[\`receipt 1\`] = \`
"${RECEIPT}"
\`;
`,
  'test/cart.test.js': `const { add, load, receipt, total } = require('../src/cart.js');
const { checkTotal, order } = require('./helpers.js');

${EXPECTING}`,
};

const PYTEST: Files = {
  'pyproject.toml': `[project]
name = "shop"
version = "1.0"

[tool.pytest.ini_options]
pythonpath = ["."]
`,
  '.gitignore': '__pycache__\n.pytest_cache\n',
  'shop/__init__.py': '',
  'shop/cart.py': `import json

from shop.money import money


def total(items, discount=0):
    whole = sum(it["price"] * it["count"] * (0.9 if it["count"] >= 10 else 1) for it in items)
    return round(whole * (1 - discount), 2)


def add(items, item):
    if item["count"] <= 0:
        raise ValueError(f"count must be positive: {item['count']}")
    return [*items, item]


def load(read):
    return json.loads(read())["items"]


def receipt(items):
    lines = [f"{it['count']} x {it['name']}  {money(it['count'] * it['price'])}" for it in items]
    return "\\n".join([*lines, f"total  {money(total(items))}", ""])
`,
  'shop/money.py': `def money(value):
    return f"{value:.2f}"
`,
  'tests/order.json': ORDER,
  'tests/conftest.py': `import json
import pathlib

import pytest


@pytest.fixture
def order():
    return json.loads((pathlib.Path(__file__).parent / "order.json").read_text())["items"]
`,
  'tests/helpers.py': `from shop.cart import total


def check_total(items, value):
    assert total(items) == value
`,
  'tests/__init__.py': '',
  'tests/test_cart.py': `import json

import pytest

from shop.cart import add, load, receipt, total
from tests.helpers import check_total


def test_total_of_an_order(order):
    check_total(order, 13)


def test_total_with_a_discount(order):
    assert total(order, 0.5) == 6.5


def test_a_count_has_to_be_positive():
    with pytest.raises(ValueError, match="count must be positive: 0"):
        add([], {"name": "pen", "price": 2, "count": 0})


def test_an_order_that_cannot_be_read():
    with pytest.raises(json.JSONDecodeError):
        load(lambda: "no json")


def test_receipt(order):
    assert receipt(order) == "1 x book  9.00\\n2 x pen  4.00\\ntotal  13.00\\n"


@pytest.mark.parametrize(("count", "value"), [(1, 2), (9, 18), (10, 18)])
def test_price_of_pens(count, value):
    check_total([{"name": "pen", "price": 2, "count": count}], value)
`,
};

const GO: Files = {
  'go.mod': 'module example.org/shop\n\ngo 1.18\n',
  'cart/cart.go': `package cart

func Total(price, count int) int {
	if count >= 10 {
		return price * count * 9 / 10
	}
	return price * count
}
`,
  'cart/cart_test.go': `package cart

import "testing"

func check(t *testing.T, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("total is %d, not %d", got, want)
	}
}

func TestTotal(t *testing.T) {
	check(t, Total(2, 3), 6)
}

func TestBulk(t *testing.T) {
	for _, it := range []struct {
		name        string
		count, want int
	}{{"nine", 9, 18}, {"ten", 10, 18}} {
		t.Run(it.name, func(t *testing.T) { check(t, Total(2, it.count), it.want) })
	}
}
`,
};

/** The tests are in the file of what they test. */
const CARGO: Files = {
  'Cargo.toml': '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
  '.gitignore': 'target\nCargo.lock\n',
  'src/lib.rs': `pub fn total(price: i64, count: i64) -> i64 {
    if count >= 10 {
        return price * count * 9 / 10;
    }
    price * count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up() {
        assert_eq!(total(2, 3), 6);
    }

    #[test]
    fn bulk() {
        assert_eq!(total(2, 10), 18);
    }
}
`,
};

/** The home of a lane is another one: toolchains and their caches are those of who runs the tests. */
const PLACES = {
  go: `GOCACHE=${process.env.GOCACHE ?? join(homedir(), '.cache/go-build')}`,
  cargo: `RUSTUP_HOME=${process.env.RUSTUP_HOME ?? join(homedir(), '.rustup')}`,
};

export const PROJECTS: Readonly<
  Record<Runner, { readonly files: Files; readonly validate: string }>
> = {
  node: { files: NODE, validate: 'npm test' },
  vitest: { files: VITEST, validate: 'npm test' },
  jest: { files: JEST, validate: 'npm test' },
  pytest: { files: PYTEST, validate: 'python3 -m pytest -q' },
  go: { files: GO, validate: `${PLACES.go} go test ./...` },
  cargo: { files: CARGO, validate: `${PLACES.cargo} cargo test --offline` },
};
