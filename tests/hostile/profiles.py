"""Profiles that must be refused, by name; each was an attack on the door of the real rule book."""

# A case stays on its line where that is longer than usual.
# ruff: noqa: E501

from __future__ import annotations

import json

LORA = "task: lora\n"


def files() -> dict[str, bytes]:
    """Name → the bytes of a profile that must not get past the door."""
    texts = {**_not_a_profile(), **_yaml_tricks(), **_fields(), **_numbers(), **_rows(), **_texts()}
    found = {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}
    return {**found, **_bytes()}


def _bytes() -> dict[str, bytes]:
    return {
        "latin-1": b"task: lora\nnotes: caf\xe9\n",
        "bytes that are no text": bytes(range(256)) * 8,
        "utf-16": "task: lora\n".encode("utf-16"),
        "utf-16 without a mark": "task: lora\n".encode("utf-16-be"),
        "utf-32": "task: lora\n".encode("utf-32"),
        "a zero byte": b"task: lora\x00\n",
        "a raw escape": b"task: \x1b[31mlora",
        "a bell": b"task: lora\x07",
        "an eight-bit escape": "task: lora\u009b31m".encode(),
        "ten megabytes": b"a: " + b"x" * 10_000_000,
        "ten megabytes of comments": b"task: lora\n" + b"# x\n" * 2_500_000,
    }


def _not_a_profile() -> dict[str, str]:
    return {
        "empty": "", "comments": "# a\n# b\n", "null": "null\n", "tilde": "~", "a dash": "- a\n",
        "a number": "42", "a word": "hello", "true": "true", "only ---": "---\n",
        "end": "---\n...\n", "blank": "   \n\t\n", "no task": "model: {layers: 3}",
        "an empty mapping": "{}", "no colon": "task lora", "an equals sign": "task=lora",
        "toml": "[a]\ntask = 'lora'", "xml": "<task>lora</task>",
        "text after json": '{"task": "lora"} x', "two commas": '{"task": "lora",,}',
        "json NaN": '{"task":"lora","model":{"layers":NaN}}', "tabs": "task: lora\nmodel:\n\tlayers: 3\n",
        "an open bracket": "task: [lora\nx: }}",
    }  # fmt: skip


def _yaml_tricks() -> dict[str, str]:
    return {
        "an alias bomb": "a: &a [1]\nb: &b [*a,*a]\nc: [*b]\ntask: lora",
        "an anchor": "task: &t lora\n", "an alias": "task: lora\nnotes: *x\n",
        "a python tag": "task: !!python/object/apply:os.system ['id']", "a tag": "task: !!str lora",
        "a local tag": "task: !foo lora", "a tag of its own": "%TAG ! tag:x,2000:\n---\ntask: !a lora",
        "binary": LORA + "notes: !!binary aGk=", "two documents": "task: lora\n---\ntask: lora",
        "a second, empty document": "task: lora\n...\n---\n", "merge": LORA + "<<: {model: {layers: 3}}",
        "deep": "[" * 50_000, "deep mapping": "a: " + "{a: " * 5000,
        "deep json": '{"a":' * 10_000 + "1" + "}" * 10_000,
        "deep blocks": "\n".join(" " * depth + "a:" for depth in range(300)),
        "deep dots": LORA + ".".join(["a"] * 100_000) + ": 1",
        "twice": "task: lora\ntask: lora", "twice in json": '{"task":"lora","task":"qlora"}',
        "dotted and nested": LORA + "model.layers: 3\nmodel: {layers: 4}",
        "nested and dotted, equal": LORA + "model: {layers: 3}\nmodel.layers: 3",
        "a group twice": LORA + "model: {layers: 3}\nmodel: {heads: 3}",
        "a list as key": LORA + "[a]: 1", "a mapping as key": LORA + "? {a: 1}\n: 2",
        "a lone surrogate": 'task: "\\ud800"', "a lone surrogate as key": '{"task": "lora", "\\udfff": 1}',
    }  # fmt: skip


def _fields() -> dict[str, str]:
    keys = ("modle", "3", "true", "null", '""', ".", "model.", ".layers", "model..layers", '"model "',
            "Model", "\u200bmodel", "m\u043edel", '"a\\nb"', '"\\e[31mx"', "k" * 100_000)  # fmt: skip
    found = {f"key {key[:20]!r}": f"{LORA}{key}: {{layers: 3}}" for key in keys}
    values = {
        "model": ("null", "[]", "layers", "llama-2-7b", "{layer: 3}", "{Layers: 3}", "{layers: {x: 1}}",
                  "{name: gpt-99}", "{name: 7}", "{name: true}", "{name: ''}", "{config: 3}",
                  "{config: nope.json}", "{config: ../../../etc/passwd}", "{config: /dev/zero}",
                  "{config: ''}", "{config: [a]}"),
        "hardware": ("{gpu: h1000}", "{gpu: [l4]}"),
        "data": ("{sensitivity: Regulated}", "{sensitivity: regulatd}", "{location: china}",
                 *(f"{{may_leave_premises: {word}}}" for word in
                   ("yes", "no", "on", "off", "Yes", "NO", "y", "n", "1", "0", '"true"', "T", "是"))),
        "constraints": ("{providers: [asw]}", "{vendors: [nvidai]}", "{regions: [us-esat-1]}",
                        "{countries: [China]}", "{isolation: Any}", "{billing: [spto]}"),
        "usage": ("{sustained_utilisation: 70}", "{sustained_utilisation: 170 %}"),
        "currency": ("usd", "EUR"),
    }  # fmt: skip
    for name, texts in values.items():
        found |= {f"{name}: {text}": f"{LORA}{name}: {text}" for text in texts}
    tasks = ("LoRA", "' lora'", '"lora "', "推理", "ｌｏｒａ", "🚀", "[lora]", "{lora: true}", "3", "",
             '"lora\\u202e"', "lora\u202ex", '"\\e[31mlora\\e[0m"', "|\n  lora\n", "v" * 100_000)  # fmt: skip
    return found | {f"task: {text[:20]!r}": f"task: {text}" for text in tasks}


def _numbers() -> dict[str, str]:
    layers = (
        '"32"', "3.5", "true", "[3]", "{a: 3}", "many", "0", "-1", "1e400", "-1e400", ".inf", "-.inf",
        ".nan", "NaN", "Infinity", "1_000", "0x", "1e", "1e5e5", "--3", "+", ".", "''", "~", "null",
        "10" * 200, "9" * 400, "0x" + "f" * 300, "0o" + "7" * 400, "三十二", "３２", "32层", "1:30",
        "1,000", '"1 000"', "0b11", "1/2", "3e-1", "!!int 3", "-0.0", "1e-400", '"\\u0000"',
        "5 hours", "9" * 100_000, "1e" + "9" * 100_000, "0x" + "f" * 100_000,
    )  # fmt: skip
    sizes = (
        "50 Mbit/s", "50 GB extra", "1e400 GB", "-50 GB", "50 gigs", "50 Gb", "５０ GB", "50 吉字节",
        "50GBGB", "50 GB GB", "GB", "nan GB", "inf GB", "50e GB", "50 GB per hour", "50 GB/0", "50 GB / ",
        "CNY 50", "$50", "50%", "1,5 GB", "5,000 GB", "5 000 GB", "50 gb", "50 GIB", "1e308 TB",
        "9" * 400 + " GB", "\u221250 GB", "+-5 GB", "0x10 GB", "½ GB", "٣ GB", "५० GB", "50 GB\0",
        "50 GB\x1b[31m", "5 " + "v" * 100_000, "5 GB" + "/s" * 50_000, "5" * 100_000 + "x", "  ",
    )  # fmt: skip
    amounts = ("CNY", "CNY x", "EUR 50", "50 EUR", "CNY 20,000", "CNY -5", "CNY 1e400", "$CNY 5",
               "CNY 20000 USD", "CNY 20000/GB", "CNY 2万", "2万元", "二万", "¥¥5", "CNY nan", "20000 GB",
               "CNY 20000/month/month", "￥２００")  # fmt: skip
    dates = ("2026", "2026-13-01", "2026-02-30", "2026-2-3", "30/11/2026", "2026-11-30T00:00:00",
             "2026-11-30 10:00", "yesterday", "0000-00-00", "99999-01-01", "2026/11/30", "２０２６-11-30",
             "2026-11-30\n", "2026年11月30日", "", "2025-02-29", "2026-W01-1", "9999-12-31",
             "0001-01-01", "2" * 100_000)  # fmt: skip
    quoted = {
        "size": ("data: {size_gb: %s}", sizes),
        "amount": ("budget: {per_month: %s}", amounts),
        "date": ("as_of: %s", dates),
    }
    found = {f"layers: {text[:20]!r}": f"{LORA}model: {{layers: {text}}}" for text in layers}
    for name, (form, texts) in quoted.items():
        for text in texts:
            written = json.dumps(text, ensure_ascii=False)
            found[f"{name}: {text[:20]!r}"] = LORA + form % written
    found["two currencies"] = LORA + "budget: {per_month: CNY 5, upfront: USD 5}"
    found["another currency"] = LORA + "budget: {per_month: USD 5, currency: CNY}"
    found |= {
        f"date: {text}": f"{LORA}as_of: {text}" for text in ("20261130", "true", "[2026]", "1.5")
    }
    return found


def _rows() -> dict[str, str]:
    gpus = ("3", "l4", "{a: 1}", "[3]", "[null]", "[[l4]]", "[{value: l4}]", "[true]", "['']", "''",
            "[" + ",".join(["l4"] * 51) + "]", "[" + ",".join(["x"] * 100_000) + "]")  # fmt: skip
    owned = ("3", "l4", "{gpu: l4}", "[l4]", "[{}]", "[{count: 2}]", "[{gpu: l4}]", "[{gppu: l4}]",
             "[{gpu: l4, count: 0}]", "[{gpu: l4, count: 1.5}]", '[{gpu: l4, count: "2"}]',
             "[{gpu: nope, count: 1}]", "[{gpu: l4, gpu: l4}]", "[{gpu: null, count: 1}]",
             "[{gpu: [l4], count: 1}]", "[{gpu: l4, count: .nan}]", "[{gpu: l4, count: 1, utilisation: 2}]",
             "[" + ",".join(["{gpu: l4, count: 1}"] * 21) + "]")  # fmt: skip
    curves = ("nope.csv", ".", "/etc/passwd", "/dev/zero", "/dev/stdin", '"a\\0b"', '""', "3", "true", "~",
              "{a: 1}", "[{gpus: 1}]", "[{hours: 1}]", "[{gpus: -1, hours: 1}]", "[1, 2]", "[[1,2]]",
              "[{gpus: 1, hours: 1, x: 2}]", "[" + ",".join(["{gpus: 1, hours: 1}"] * 257) + "]",
              '"\\e[31mx"', "x" * 5000)  # fmt: skip
    found = {f"gpus: {text[:20]}": f"{LORA}constraints: {{gpus: {text}}}" for text in gpus}
    found |= {f"owned: {text[:40]}": f"{LORA}owned: {text}" for text in owned}
    return found | {
        f"curve: {text[:40]}": f"{LORA}usage: {{load_curve: {text}}}" for text in curves
    }


def _texts() -> dict[str, str]:
    return {
        "an escape in a name": LORA + 'name: "\\e[31mred"',
        "a title for the terminal": LORA + 'name: "\\e]0;x\\a"',
        "a zero in a name": LORA + 'name: "a\\0b"',
        "a name written backwards": LORA + 'name: "a\\u202eb"',
        "an escape in a model": LORA + 'model: {name: "\\e]0;x\\a"}',
        "many unknown fields": LORA + "\n".join(f"k{number}: 1" for number in range(20_000)),
        "many anchors": LORA + "\n".join(f"k{number}: &a{number} 1" for number in range(20_000)),
        "a huge model": LORA + "model: {name: " + "v" * 100_000 + "}",
    }


CURVES: dict[str, bytes] = {
    "no column": b"a,b\n1,2\n", "empty": b"", "only a header": b"gpus,hours\n",
    "short": b"gpus,hours\n1\n", "long": b"gpus,hours\n1,2,3\n", "text": b"gpus,hours\nmany,1\n",
    "NaN": b"gpus,hours\nnan,1\n", "infinite": b"gpus,hours\ninf,1\n",
    "too many hours": b"gpus,hours\n1,1e9\n", "beyond all doubles": b"gpus,hours\n1,1e400\n",
    "too many hours in all": b"gpus,hours\n" + b"1,999999\n" * 5, "negative": b"gpus,hours\n-1,1\n",
    "negative hours": b"gpus,hours\n1,-1\n", "underscores": b"gpus,hours\n1_0,2\n",
    "other digits": "gpus,hours\n１,2\n".encode(), "a column twice": b"gpus,gpus\n1,2\n",
    "an open quote": b'gpus,hours\n"1\n,2\n', "a zero byte": b"gpus,hours\n1\x00,2\n",
    "an escape": b"gpus,hours\n\x1b[31m1,2\n", "a huge cell": b"gpus\n" + b"1" * 200_000,
    "bytes that are no text": bytes(range(256)) * 8, "utf-16": "gpus,hours\n1,2\n".encode("utf-16"),
    "old line ends": b"gpus,hours\r1,x\r", "twelve megabytes": b"gpus\n" + b"1\n" * 6_000_000,
}  # fmt: skip
