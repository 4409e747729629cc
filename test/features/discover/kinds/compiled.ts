// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of files have their own placeholders.
/** Projects in languages that are compiled, and one of several languages. */
import { json, type Kind, nodeTest } from './kind.ts';

const goTest = (
  name: string,
  imports: string,
  ...checks: readonly (readonly [string, string])[]
): string =>
  `package ${name}\n\nimport (\n\t"testing"\n${imports}\n)\n\nfunc TestPromises(t *testing.T) {\n${checks
    .map(([actual, wanted]) => `\tif got := ${actual}; got != ${wanted} {\n\t\tt.Fatal(got)\n\t}\n`)
    .join('')}}\n`;

const go: Kind = {
  name: 'Go',
  needs: ['go'],
  suite: 'go test ./...',
  files: {
    'README.md': '# Shop\n',
    'go.mod': 'module example.com/shop\n\ngo 1.19\n',
    Makefile: 'test:\n\tgo test ./...\n',
    'cmd/shop/main.go':
      'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/shop/internal/checkout"\n)\n\nfunc text() string { return fmt.Sprintf("%d EUR", checkout.Pay([]int{10, 20})) }\n\nfunc main() { fmt.Println(text()) }\n',
    'cmd/shop/main_test.go': goTest('main', '', ['text()', '"33 EUR"']),
    'internal/checkout/pay.go':
      'package checkout\n\nimport (\n\tm "example.com/shop/pkg/money"\n\n\t"example.com/shop/internal/rates"\n)\n\n// Pay adds a fee.\nfunc Pay(prices []int) int {\n\tsum := 0\n\tfor _, it := range prices {\n\t\tsum += it\n\t}\n\treturn m.Round(sum) + rates.Fee()\n}\n',
    'internal/checkout/pay_test.go': goTest(
      'checkout',
      '\n\t"example.com/shop/internal/testutil"',
      ['Pay(testutil.Prices())', '13'],
    ),
    'internal/rates/rates.go':
      'package rates\n\nimport (\n\t_ "embed"\n\t"strconv"\n\t"strings"\n)\n\n//go:embed fee.txt\nvar text string\n\n// Fee is the same for all.\nfunc Fee() int {\n\tfee, _ := strconv.Atoi(strings.TrimSpace(text))\n\treturn fee\n}\n',
    'internal/rates/fee.txt': '3\n',
    'internal/rates/rates_test.go': goTest('rates', '', ['Fee()', '3']),
    'internal/testutil/prices.go':
      'package testutil\n\n// Prices are few.\nfunc Prices() []int { return []int{4, 6} }\n',
    'pkg/money/money.go':
      'package money\n\n// Round goes to the next step.\nfunc Round(cents int) int { return (cents + 2) / 5 * 5 }\n',
    'pkg/money/money_test.go':
      'package money\n\nimport (\n\t"os"\n\t"strconv"\n\t"strings"\n\t"testing"\n)\n\nfunc TestCases(t *testing.T) {\n\tcases, err := os.ReadFile("testdata/cases.txt")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tfor _, line := range strings.Split(strings.TrimSpace(string(cases)), "\\n") {\n\t\twords := strings.Fields(line)\n\t\tgiven, _ := strconv.Atoi(words[0])\n\t\twanted, _ := strconv.Atoi(words[1])\n\t\tif got := Round(given); got != wanted {\n\t\t\tt.Fatal(line, got)\n\t\t}\n\t}\n}\n',
    'pkg/money/testdata/cases.txt': '3 5\n12 10\n',
    'pkg/label/label.go':
      'package label\n\nimport (\n\t"os"\n\t"strings"\n)\n\n// Label reads what the shop is called.\nfunc Label(folder string) string {\n\tname, _ := os.ReadFile(folder + "/name.txt")\n\treturn strings.TrimSpace(string(name))\n}\n',
    'pkg/label/label_test.go': goTest('label', '', ['Label("../../assets")', '"shop 24"']),
    'assets/name.txt': 'shop 24\n',
    'test/shop_test.go':
      'package test\n\nimport (\n\t"testing"\n\n\t"example.com/shop/internal/checkout"\n)\n\nfunc TestShop(t *testing.T) {\n\tif got := checkout.Pay(nil); got != 3 {\n\t\tt.Fatal(got)\n\t}\n}\n',
  },
  added: {
    'internal/checkout/more_test.go': goTest('checkout', '', ['1', '2']),
    'pkg/money/broken.go': 'package money\n\nvar x int = "y"\n',
  },
};

const rustTest = (imports: string, check: string): string =>
  `\n#[cfg(test)]\nmod tests {\n    ${imports}\n\n    #[test]\n    fn promise() {\n        assert_eq!(${check});\n    }\n}\n`;

const crate: Kind = {
  name: 'Rust crate',
  needs: ['cargo'],
  suite: 'cargo test --quiet --offline',
  files: {
    '.gitignore': 'target\n',
    'Cargo.toml':
      '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    'src/lib.rs': 'pub mod cart;\npub mod checkout;\nmod money;\n',
    'src/money.rs': `pub fn round(cents: i64) -> i64 {\n    (cents + 2) / 5 * 5\n}\n${rustTest('use super::*;', 'round(12), 10')}`,
    'src/cart/mod.rs': `mod item;\n\npub use item::Item;\n\npub fn total(items: &[Item]) -> i64 {\n    crate::money::round(items.iter().map(|it| it.price).sum())\n}\n${rustTest('use super::*;', 'total(&[Item { price: 11 }]), 10')}`,
    'src/cart/item.rs': 'pub struct Item {\n    pub price: i64,\n}\n',
    'src/checkout.rs': `use crate::cart::{total, Item};\n\nconst FEE: &str = include_str!("../data/fee.txt");\n\npub fn pay(items: &[Item]) -> i64 {\n    total(items) + FEE.trim().parse::<i64>().unwrap()\n}\n${rustTest('use super::*;', 'pay(&[Item { price: 20 }]), 23')}`,
    'data/fee.txt': '3\n',
    'tests/common/mod.rs': 'pub const PRICE: i64 = 40;\n',
    'tests/fixtures/sum.txt': '43\n',
    'tests/shop.rs':
      'mod common;\n\n#[test]\nfn sum() {\n    let wanted = std::fs::read_to_string("tests/fixtures/sum.txt").unwrap();\n    let items = [shop::cart::Item { price: common::PRICE }];\n    assert_eq!(shop::checkout::pay(&items).to_string(), wanted.trim());\n}\n',
  },
  added: { 'tests/more.rs': '#[test]\nfn more() {\n    assert_eq!(1, 2);\n}\n' },
};

const cargoWorkspace: Kind = {
  name: 'Cargo workspace',
  needs: ['cargo'],
  suite: 'cargo test --quiet --offline --workspace',
  files: {
    '.gitignore': 'target\n',
    'Cargo.toml':
      '[workspace]\nresolver = "2"\nmembers = ["crates/*", "xtask"]\n\n[workspace.dependencies]\nmoney = { package = "acme-money", path = "crates/money" }\n',
    'crates/money/Cargo.toml':
      '[package]\nname = "acme-money"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    'crates/money/src/lib.rs': `pub fn round(cents: i64) -> i64 {\n    (cents + 2) / 5 * 5\n}\n${rustTest('use super::*;', 'round(12), 10')}`,
    'crates/cart/Cargo.toml':
      '[package]\nname = "cart"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n\n[dependencies]\nmoney.workspace = true\n\n[dev-dependencies]\nkit = { package = "test-kit", path = "../kit" }\n',
    'crates/cart/src/lib.rs': `pub fn total(prices: &[i64]) -> i64 {\n    money::round(prices.iter().sum())\n}\n${rustTest('use super::*;', 'total(&kit::prices()), 30')}`,
    'crates/kit/Cargo.toml':
      '[package]\nname = "test-kit"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n',
    'crates/kit/src/lib.rs': 'pub fn prices() -> Vec<i64> {\n    vec![10, 21]\n}\n',
    'crates/checkout/Cargo.toml':
      '[package]\nname = "checkout"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n\n[dependencies]\nbasket = { package = "cart", path = "../cart" }\n',
    'crates/checkout/src/lib.rs': `pub mod fees;\n\npub fn pay(prices: &[i64]) -> i64 {\n    basket::total(prices) + fees::fee()\n}\n${rustTest('use super::*;', 'pay(&[10]), 14')}`,
    'crates/checkout/src/fees.rs':
      'const FEES: &str = include_str!("../../../config/fees.txt");\n\npub fn fee() -> i64 {\n    FEES.trim().parse().unwrap()\n}\n',
    'config/fees.txt': '4\n',
    'crates/checkout/tests/pay.rs':
      '#[test]\nfn cases() {\n    for line in std::fs::read_to_string("tests/cases.txt").unwrap().lines() {\n        let (given, wanted) = line.split_once(\' \').unwrap();\n        assert_eq!(checkout::pay(&[given.parse().unwrap()]).to_string(), wanted);\n    }\n}\n',
    'crates/checkout/tests/cases.txt': '0 4\n20 24\n',
    'xtask/Cargo.toml': '[package]\nname = "xtask"\nversion = "0.1.0"\nedition = "2021"\n',
    'xtask/src/main.rs': `fn steps() -> u32 {\n    2\n}\n\nfn main() {\n    println!("{}", steps());\n}\n${rustTest('use super::*;', 'steps(), 2')}`,
  },
  added: { 'crates/money/tests/more.rs': '#[test]\nfn more() {\n    assert_eq!(1, 2);\n}\n' },
};

const c: Kind = {
  name: 'C, include and make',
  needs: ['make', 'gcc'],
  suite: 'make test',
  files: {
    '.gitignore': 'build\n',
    Makefile:
      'CFLAGS = -Iinclude -Wall\nTESTS = build/test_list build/test_parse\n\ntest: $(TESTS)\n\t@for it in $(TESTS); do $$it || exit 1; done\n\nbuild/test_%: tests/test_%.c src/list.c src/parse.c include/list.h include/parse.h tests/check.h\n\t@mkdir -p build\n\t$(CC) $(CFLAGS) -o $@ $< src/list.c src/parse.c\n\n.PHONY: test\n',
    'include/list.h':
      '#ifndef LIST_H\n#define LIST_H\n#define MOST 8\nint list_sum(const int *items, int count);\n#endif\n',
    'include/parse.h':
      '#ifndef PARSE_H\n#define PARSE_H\nint parse(const char *text, int *items);\n#endif\n',
    'src/list.c':
      '#include "list.h"\n\nint list_sum(const int *items, int count) {\n  int sum = 0;\n  for (int at = 0; at < count && at < MOST; at++) sum += items[at];\n  return sum;\n}\n',
    'src/parse.c':
      '#include "parse.h"\n#include "list.h"\n#include <stdlib.h>\n\nint parse(const char *text, int *items) {\n  int count = 0;\n  char *end;\n  for (long it = strtol(text, &end, 10); end != text && count < MOST; it = strtol(text, &end, 10)) {\n    items[count++] = (int)it;\n    text = end;\n  }\n  return count;\n}\n',
    'tests/check.h':
      '#include <stdio.h>\n#define CHECK(ok) do { if (!(ok)) { puts(#ok); return 1; } } while (0)\n#define FIRST 4\n',
    'tests/numbers.txt': '1 2 3\n',
    'tests/test_list.c':
      '#include "check.h"\n#include "list.h"\n\nint main(void) {\n  int items[9] = {FIRST, 2, 1, 1, 1, 1, 1, 1, 50};\n  CHECK(list_sum(items, 9) == 12);\n  return 0;\n}\n',
    'tests/test_parse.c':
      '#include "check.h"\n#include "list.h"\n#include "parse.h"\n\nint main(void) {\n  char text[40];\n  int items[MOST];\n  FILE *file = fopen("tests/numbers.txt", "r");\n  CHECK(file != NULL && fgets(text, sizeof text, file) != NULL);\n  CHECK(list_sum(items, parse(text, items)) == 6);\n  return 0;\n}\n',
  },
};

const java: Kind = {
  name: 'Java, make',
  needs: ['make', 'javac', 'java'],
  suite: 'make test',
  files: {
    '.gitignore': 'build\n',
    Makefile:
      'test:\n\t@mkdir -p build && javac -d build $$(find src -name "*.java") && java -ea -cp build com.acme.AllTests\n.PHONY: test\n',
    'src/main/java/com/acme/cart/Cart.java':
      'package com.acme.cart;\n\nimport com.acme.money.Money;\n\npublic class Cart {\n  public static int total(int... prices) {\n    int sum = 0;\n    for (int it : prices) sum += it;\n    return Money.round(sum);\n  }\n}\n',
    'src/main/java/com/acme/money/Money.java':
      'package com.acme.money;\n\npublic class Money {\n  public static int round(int cents) {\n    return (cents + 2) / 5 * 5;\n  }\n}\n',
    'src/test/java/com/acme/AllTests.java':
      'package com.acme;\n\nimport com.acme.cart.Cart;\n\npublic class AllTests {\n  public static void main(String[] args) throws Exception {\n    String wanted = java.nio.file.Files.readString(java.nio.file.Path.of("src/test/resources/sum.txt")).trim();\n    assert String.valueOf(Cart.total(10, 12)).equals(wanted);\n  }\n}\n',
    'src/test/resources/sum.txt': '20\n',
  },
};

/** Three languages that share files, each with its own way to run tests. */
const languages: Kind = {
  name: 'three languages',
  needs: ['go', 'pytest', 'npm'],
  suite: 'make test',
  files: {
    '.gitignore': '__pycache__\n',
    Makefile:
      'test:\n\tcd services/api && go test ./...\n\tcd services/worker && python3 -m pytest -q -p no:cacheprovider\n\tcd web && npm test\n.PHONY: test\n',
    'contracts/order.json': json({ fields: 3 }),
    'contracts/limits.json': json({ most: 5 }),
    'services/api/go.mod': 'module example.com/api\n\ngo 1.19\n',
    'services/api/order/order.go':
      'package order\n\nimport (\n\t"os"\n\t"strings"\n)\n\n// Known tells whether the contract has so many fields.\nfunc Known(fields string) bool {\n\ttext, _ := os.ReadFile("../../../contracts/order.json")\n\treturn strings.Contains(string(text), "fields\\": "+fields)\n}\n',
    'services/api/order/order_test.go': goTest('order', '', ['Known("3")', 'true']),
    'services/worker/pyproject.toml':
      '[project]\nname = "worker"\nversion = "1.0"\n\n[project.optional-dependencies]\ndev = ["pytest"]\n',
    'services/worker/worker/__init__.py': '',
    'services/worker/worker/job.py':
      'import json\nfrom pathlib import Path\n\nCONTRACTS = Path(__file__).resolve().parents[3] / "contracts"\n\n\ndef most():\n    return json.loads((CONTRACTS / "limits.json").read_text())["most"]\n',
    'services/worker/tests/conftest.py':
      'import pytest\n\n\n@pytest.fixture\ndef wanted():\n    return 5\n',
    'services/worker/tests/test_job.py':
      'from worker.job import most\n\n\ndef test_most(wanted):\n    assert most() == wanted\n',
    'web/package.json': json({ name: 'web', type: 'module', scripts: { test: 'node --test' } }),
    'web/src/order.js':
      "import { readFileSync } from 'node:fs';\nexport const fields = () => JSON.parse(readFileSync('../contracts/order.json', 'utf8')).fields;\n",
    'web/src/order.test.js': nodeTest("import { fields } from './order.js';", 'fields(), 3'),
  },
  added: { 'web/src/more.test.js': nodeTest('', '1, 2') },
};

export const COMPILED: readonly Kind[] = [go, crate, cargoWorkspace, c, java, languages];
