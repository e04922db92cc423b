"""What the readers say about bad input, in both languages.

One entry per finding: a stable code, what is wrong, what was expected and what to do. The code is
public API; the words may improve.
"""

from __future__ import annotations

from typing import Any

from engine.language.patterns import late
from engine.language.printable import printable
from engine.language.problems import Position, Problem

_Texts = tuple[str, str]

# name: code, what is wrong (en, zh), what to do (en, zh)
MESSAGES: dict[str, tuple[str, _Texts, _Texts]] = {
    "no_file": (
        "E012",
        ("there is no file {name}", "找不到文件 {name}"),
        (
            "check the path, or write a starter profile with `init -o {name}`",
            "请检查路径，或用 `init -o {name}` 生成一份起始文件",
        ),
    ),
    "directory": (
        "E012",
        ("{name} is a directory, not a file", "{name} 是目录，不是文件"),
        ("name the profile file inside it", "请指明目录里的配置文件"),
    ),
    "unreadable": (
        "E012",
        ("{name} cannot be read: {reason}", "无法读取 {name}：{reason}"),
        ("check the path and its permissions", "请检查路径和读取权限"),
    ),
    "too_large": (
        "E003",
        ("the file is larger than {limit}", "文件超过 {limit}"),
        (
            "a profile is a few kilobytes; is this the right file?",
            "配置文件通常只有几 KB，请确认文件是否选对",
        ),
    ),
    "not_utf8": (
        "E002",
        ("the file is not UTF-8 text", "文件不是 UTF-8 文本"),
        ("save the file with the encoding UTF-8", "请把文件另存为 UTF-8 编码"),
    ),
    "not_a_file": (
        "E012",
        ("{name} is not an ordinary file", "{name} 不是普通文件"),
        ("name a file that ends, not a pipe or a device", "请指明普通文件，而不是管道或设备"),
    ),
    "empty": (
        "E013",
        ("the file is empty", "文件是空的"),
        ("write a starter profile with `init -o FILE`", "可用 `init -o 文件` 生成一份起始文件"),
    ),
    "too_deep": (
        "E004",
        ("values are nested more than {limit} levels deep", "嵌套超过 {limit} 层"),
        ("a profile has groups of fields, one level deep", "配置文件只有一层分组"),
    ),
    "too_many_values": (
        "E004",
        ("the profile holds more than {limit} values", "配置中的值超过 {limit} 个"),
        ("is a list part of itself?", "请检查列表是否包含了自身"),
    ),
    "not_mapping": (
        "E014",
        ("{what} must be a mapping of fields, not {found}", "{what}应为字段映射，而不是{found}"),
        ("write `field: value` lines", "请按 `字段: 值` 逐行书写"),
    ),
    "key_not_text": (
        "E011",
        ("a field name must be a text", "字段名必须是文本"),
        ("write `field: value` lines", "请按 `字段: 值` 逐行书写"),
    ),
    "invisible": (
        "E107",
        ("{field} holds the invisible character {spelt}", "{field} 含有不可见字符 {spelt}"),
        ("type the text anew instead of pasting it", "请手工重新输入，不要直接粘贴"),
    ),
    "odd_digits": (
        "E102",
        ("{field}: “{text}” is written with other digits", "{field}：“{text}”用了其他形式的数字"),
        ("write {plain}", "请写 {plain}"),
    ),
    "missing_in_row": (
        "E114",
        ("{field} is missing", "缺少 {field}"),
        ("add `{name}: …` to the row, or remove the row", "请在该行补上 `{name}: …`，或删去该行"),
    ),
    "more": (
        "E130",
        ("only the first {count} problems are shown", "只显示前 {count} 个问题"),
        ("correct these and check again", "请先改正这些，再重新检查"),
    ),
    "duplicate": (
        "E005",
        ("{field} stands twice", "{field} 出现了两次"),
        ("keep one of them; the first is on line {line}", "请只保留一处；第一处在第 {line} 行"),
    ),
    "duplicate_key": (
        "E005",
        ("{field} stands twice", "{field} 出现了两次"),
        ("keep one of them", "请只保留一处"),
    ),
    "unknown_field": (
        "E101",
        ("there is no field {field}", "没有 {field} 这个字段"),
        ("{hint}", "{hint}"),
    ),
    "wrong_type": (
        "E102",
        ("{field} is {found}", "{field} 的值是{found}"),
        ("{hint}", "{hint}"),
    ),
    "bad_quantity": (
        "E103",
        ("{field}: “{text}” is not a quantity", "{field}：“{text}”不是可识别的数量"),
        ("{hint}", "{hint}"),
    ),
    "wrong_dimension": (
        "E103",
        (
            "{field} is measured in {unit}; “{text}” is something else",
            "{field} 的单位是 {unit}，“{text}”的量纲不符",
        ),
        ("{hint}", "{hint}"),
    ),
    "wrong_currency": (
        "E103",
        (
            "{field} is written in {found}, but {other} says {currency}",
            "{field} 写的是 {found}，而 {other} 为 {currency}",
        ),
        ("use one currency within a group of fields", "同一组字段请使用同一种货币"),
    ),
    "out_of_range": (
        "E104",
        ("{field} = {value} is out of range", "{field} = {value} 超出范围"),
        ("{hint}", "{hint}"),
    ),
    "unknown_value": (
        "E105",
        ("{field} cannot be “{value}”", "{field} 不能为“{value}”"),
        ("{hint}", "{hint}"),
    ),
    "unknown_key": (
        "E106",
        ("{field}: the catalog has no “{value}”", "{field}：目录中没有“{value}”"),
        ("{hint}", "{hint}"),
    ),
    "ambiguous_key": (
        "E106",
        ("{field}: “{value}” means several entries", "{field}：“{value}”对应多个条目"),
        ("write one of {choices}", "请写明其中之一：{choices}"),
    ),
    "not_finite": (
        "E010",
        ("{field} is not a finite number", "{field} 不是有限数值"),
        ("leave the field out if the value is not known", "不知道数值时请省略该字段"),
    ),
    "null": (
        "E108",
        ("{field} has no value", "{field} 没有值"),
        ("leave the field out if the value is not known", "不知道数值时请省略该字段"),
    ),
    "bad_date": (
        "E109",
        ("{field}: “{value}” is not a date", "{field}：“{value}”不是日期"),
        ("write it as 2026-11-30", "请写成 2026-11-30 的形式"),
    ),
    "too_many_rows": (
        "E110",
        (
            "{field} has {count} rows, at most {limit} are read",
            "{field} 有 {count} 行，最多允许 {limit} 行",
        ),
        ("join rows that belong together", "请合并同类的行"),
    ),
    "required": (
        "E111",
        ("{field} is missing", "缺少 {field}"),
        ("add `{field}: …`", "请添加 `{field}: …`"),
    ),
    "odd_value": (
        "E102",
        ("{field} holds a Python value of type {kind}", "{field} 的值是 Python 类型 {kind}"),
        (
            "pass plain numbers, texts, booleans, lists and dicts",
            "请传入普通的数字、文本、布尔值、列表和字典",
        ),
    ),
    "config_kind": (
        "E115",
        (
            "{name}: only config.json, .gguf and .safetensors files are read",
            "{name}：只读取 config.json、.gguf 和 .safetensors 文件",
        ),
        (
            "state parameters_b, layers, hidden_size … in the group model instead",
            "请改在 model 组中直接填写 parameters_b、layers、hidden_size 等字段",
        ),
    ),
    "config_damaged": (
        "E115",
        (
            "{name} has no header of its format, or is cut off",
            "{name} 没有相应格式的文件头，或文件不完整",
        ),
        ("download the file again", "请重新下载该文件"),
    ),
    "no_part": (
        "E012",
        ("there is no file {name}", "找不到文件 {name}"),
        ("keep all files of a model in one folder", "请把模型的全部文件放在同一目录"),
    ),
    "config_empty": (
        "E115",
        ("the file states no architecture", "文件中没有模型结构信息"),
        (
            "name the config.json of a published model",
            "请指明已发布模型的 config.json",
        ),
    ),
    "no_curve": (
        "E112",
        ("there is no file {name}", "找不到文件 {name}"),
        ("paths are read from the folder of the profile", "路径以配置文件所在目录为起点"),
    ),
    "curve_column": (
        "E112",
        ("the table has no column {column}", "表中没有 {column} 列"),
        ("name the columns in the first line: {columns}", "请在首行写明列名：{columns}"),
    ),
    "curve_cell": (
        "E112",
        ("column {column}: “{text}” is not a number", "{column} 列：“{text}”不是数字"),
        ("write digits with a point, such as 12.5", "请写数字，小数用点，例如 12.5"),
    ),
    "curve_range": (
        "E112",
        ("column {column}: {text} is out of range", "{column} 列：{text} 超出范围"),
        ("check the unit of the column", "请检查该列的单位"),
    ),
    "curve_total": (
        "E112",
        (
            "level {level} lasts {hours} hours in all, more than the field allows",
            "档位 {level} 共 {hours} 小时，超出允许的范围",
        ),
        ("give the hours of one month", "请给出一个月内的小时数"),
    ),
    "curve_columns": (
        "E112",
        (
            "the row has {found} fields, the first line {wanted}",
            "该行有 {found} 列，首行有 {wanted} 列",
        ),
        ("give every row as many fields as the first line names", "每行的列数应与首行一致"),
    ),
    "curve_twice": (
        "E112",
        ("column {column} stands twice in the first line", "首行中 {column} 列出现了两次"),
        ("keep one of them", "请只保留一列"),
    ),
    "curve_syntax": (
        "E112",
        ("not readable as CSV", "不是可读的 CSV"),
        ("save the table as plain CSV with commas", "请把表格另存为逗号分隔的 CSV"),
    ),
    "curve_empty": (
        "E112",
        ("the table has no rows", "表中没有数据行"),
        ("write one row per hour, or per level", "每小时或每档写一行"),
    ),
    "no_measurements": (
        "E012",
        ("there is no file {name}", "找不到文件 {name}"),
        ("check the path", "请检查路径"),
    ),
    "measured_line": (
        "E116",
        ("the line is not one JSON object", "该行不是一个 JSON 对象"),
        ("write one measurement a line", "每行写一条测量记录"),
    ),
    "measured_twice": (
        "E005",
        ("the id {id} stands twice", "标识 {id} 出现了两次"),
        ("the first is on line {line}", "第一处在第 {line} 行"),
    ),
    "contradiction": (
        "E113",
        ("{first} and {second} contradict each other", "{first} 与 {second} 相互矛盾"),
        ("{hint}", "{hint}"),
    ),
    "policy_unknown": (
        "E140",
        ("there is no parameter {name}", "没有名为 {name} 的参数"),
        ("{hint}", "{hint}"),
    ),
    "policy_fixed": (
        "E140",
        ("{name} is fixed and cannot be overridden", "{name} 是固定值，不能覆盖"),
        ("remove it from the policy", "请从策略文件中删除"),
    ),
    "policy_order": (
        "E142",
        ("{name} = {value} is above {other} = {limit}", "{name} = {value} 高于 {other} = {limit}"),
        ("keep {name} at or below {other}", "请使 {name} 不高于 {other}"),
    ),
    "setting": (
        "E201",
        ("--set {text}: a setting is written path=value", "--set {text}：应写成“路径=值”"),
        ("for example --set {example}", "例如 --set {example}"),
    ),
}

# what the YAML reader says, by its code, for readers of Chinese; {0} is the text it quotes
TRANSLATED: dict[str, tuple[str, str, str]] = {
    "E001": ("不是合法的 YAML 或 JSON（{0}）", "YAML 或 JSON", "请检查此处附近的缩进、引号和括号"),
    "E002": ("文件不是 UTF-8 文本", "UTF-8", "请把文件另存为 UTF-8 编码"),
    "E003": ("文件太大", "", ""),
    "E004": ("嵌套太深", "", "配置文件只有一层分组"),
    "E005": ("字段 {0} 出现了两次", "", "请只保留一处"),
    "E006": ("不允许使用锚点、别名和合并键", "", "请把值直接写出"),
    "E007": ("不允许使用标签（{0}）", "", "请删除标签"),
    "E130": ("问题太多，只显示前一部分", "", "请先改正这些，再重新检查"),
    "E008": (
        "{0} 不加引号时含义不明",
        "true、false 或带引号的文本",
        "请写 true、false，或给文本加引号",
    ),
    "E009": ("一个文件里有多份文档", "一份文档", "请删除多余的 `---`"),
    "E010": ("{0} 不是有限数值", "有限数值", "不知道数值时请省略该字段"),
    "E011": ("字段名必须是文本", "", ""),
    "E012": ("无法读取文件", "", ""),
    "E120": ("{0} 不是可识别的数量", "数字加单位，例如“50 GB”或“CNY 20000”", ""),
    "E121": ("{0} 是未知的单位", "数字加单位，例如“50 GB”", ""),
}

# words put into the messages
WORDS: dict[str, _Texts] = {
    "profile": ("a profile", "配置文件"),
    "policy": ("a policy file", "策略文件"),
    "text": ("a text", "文本"),
    "number": ("a number", "数字"),
    "boolean": ("true or false", "布尔值（true 或 false）"),
    "list": ("a list", "列表"),
    "mapping": ("a group of fields", "一组字段"),
    "nothing": ("empty", "空值"),
    "whole": ("a whole number", "整数"),
    "number_in": ("a number in {unit}", "以 {unit} 为单位的数字"),
    "plain_number": ("a number", "数字"),
    "date": ("a date such as 2026-11-30", "日期，例如 2026-11-30"),
    "one_of": ("one of {choices}", "以下之一：{choices}"),
    "in_catalog": ("a value that stands in {table} of the catalog", "目录 {table} 中已有的值"),
    "of_form": (
        "a value that stands in {table} of the catalog, or one of the form {form}",
        "目录 {table} 中已有的值，或形如 {form} 的值",
    ),
    "catalog_id": ("an id or name of catalog table {table}", "目录表 {table} 中的标识或名称"),
    "rows": ("a list of rows with {fields}", "由 {fields} 组成的行的列表"),
    "rows_or_path": (
        "a list of rows with {fields}, or the path of an hourly CSV",
        "由 {fields} 组成的行的列表，或逐小时 CSV 的路径",
    ),
    "list_of": ("a list of {items}", "{items}的列表"),
    "largest": ("a file of at most {limit}", "不超过 {limit} 的文件"),
    "between": ("a value from {low} to {high}", "{low} 到 {high} 之间的值"),
    "did_you_mean": ("did you mean {guess}?", "是否想写 {guess}？"),
    "did_you_mean_any": ("did you mean one of {guesses}?", "是否想写其中之一：{guesses}？"),
    "case": (
        "did you mean {guess}? Upper and lower case matter",
        "是否想写 {guess}？请注意大小写",
    ),
    "no_guess": (
        "`init` prints every field with its meaning",
        "`init` 会列出全部字段及其含义",
    ),
    "group_fields": ("fields there: {fields}", "该组的字段：{fields}"),
    "quote": ('put it in quotes: "{text}"', '请加引号："{text}"'),
    "write_bare": ("write {text} without quotes", "请写 {text}，不要加引号"),
    "write_list": ("write it in brackets: [{text}]", "请写成列表：[{text}]"),
    "write_boolean": ("write {text}", "请写 {text}"),
    "no_separators": ("write digits without separators: {text}", "请去掉千位分隔符：{text}"),
    "units_like": (
        "write a number in {unit}, or a text such as “{example}”",
        "请写以 {unit} 为单位的数字，或“{example}”这样的文本",
    ),
    "numbers_only": ("write a bare number", "请只写数字"),
    "leave_out": (
        "or leave {field} out and state what is known: {fields}",
        "也可省略 {field}，直接写已知的：{fields}",
    ),
    "curve_joined": (
        "{path} holds {found} levels; neighbours were joined into {kept}, total load unchanged",
        "{path} 含 {found} 个负载档位，已把相邻档位合并为 {kept} 档，总负载不变",
    ),
    "percent": (
        "a ratio runs from 0 to 1; {value} percent is {ratio}",
        "比率取 0 到 1；{value}% 应写 {ratio}",
    ),
}


_QUOTED = late(r'[`"]([^`"]*)[`"]')
_LONG = frozenset(("name", "hint", "fields", "choices", "columns", "expected", "guesses"))
_LONGEST_VALUE, _LONGEST_LIST = 80, 600


def translated(found: Problem, language: str) -> Problem:
    """A finding of the YAML reader or of the unit table in `language`; its code stays."""
    known = TRANSLATED.get(found.code)
    if language != "zh" or known is None:
        message, expected, suggestion = found.message, found.expected, found.suggestion
    else:
        quoted = _QUOTED.search(found.message)
        shown = f"“{quoted[1]}”" if quoted else found.message.rpartition(": ")[2]
        message, expected, suggestion = known
        message = message.format(printable(shown, _LONGEST_VALUE))
    return _complete(
        found.code, printable(message, 3 * _LONGEST_VALUE), found.position, expected, suggestion,
        language, found.severity,
    )  # fmt: skip


def _complete(
    code: str, message: str, position: Position, expected: str, suggestion: str, language: str,
    severity: str = "error",
) -> Problem:  # fmt: skip
    """A finding that says what was expected and what to do."""
    from engine.readers.otherwise import OTHERWISE  # only now: good input does not pay for it

    which = 1 if language == "zh" else 0
    otherwise = OTHERWISE.get(code, (("", ""), ("", "")))
    return Problem(
        code,
        message,
        position,
        printable(expected, _LONGEST_LIST) or otherwise[0][which],
        suggestion or otherwise[1][which],
        severity,
    )


def word(name: str, language: str, /, **values: Any) -> str:
    """A phrase of `WORDS` with its values put in."""
    text = WORDS[name][1 if language == "zh" else 0]
    return text.format(**values) if values else text


def problem(
    name: str, position: Position, language: str, /, *, expected: str = "", **values: Any
) -> Problem:
    """The finding `name` of `MESSAGES` in `language`."""
    code, message, suggestion = MESSAGES[name]
    which = 1 if language == "zh" else 0
    shown = {
        key: printable(value, _LONGEST_LIST if key in _LONG else _LONGEST_VALUE)
        if isinstance(value, str)
        else value
        for key, value in values.items()
    }
    return _complete(
        code,
        message[which].format(**shown),
        position,
        expected,
        suggestion[which].format(**shown),
        language,
    )
