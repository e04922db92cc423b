"""What was expected and what to do, by code, for findings that do not say it better themselves."""

from __future__ import annotations

_Texts = tuple[str, str]

# code: what was expected (en, zh), what to do (en, zh)
OTHERWISE: dict[str, tuple[_Texts, _Texts]] = {
    "E001": (
        ("YAML or JSON", "YAML 或 JSON"),
        ("check indentation, quotes and brackets", "请检查缩进、引号和括号"),
    ),
    "E003": (
        ("a file of at most 1 MB", "不超过 1 MB 的文件"),
        ("is this the right file?", "请确认文件是否选对"),
    ),
    "E004": (
        ("groups of fields, one level deep", "只有一层分组的字段"),
        ("remove brackets and indents", "请减少括号和缩进层级"),
    ),
    "E005": (("every field once", "每个字段只写一次"), ("keep one of them", "请只保留一处")),
    "E006": (
        ("every value written out", "直接写出的值"),
        ("write the value out", "请把值直接写出"),
    ),
    "E007": (("a plain value", "普通的值"), ("remove the tag", "请删除标签")),
    "E009": (
        ("one document in a file", "一个文件一份文档"),
        ("remove what follows `---`", "请删除 `---` 之后的内容"),
    ),
    "E010": (
        ("a finite number", "有限数值"),
        ("leave the field out if the value is not known", "不知道数值时请省略该字段"),
    ),
    "E011": (
        ("a plain name", "普通的名称"),
        ("write `field: value` lines", "请按 `字段: 值` 逐行书写"),
    ),
    "E012": (("a file that can be read", "可读取的文件"), ("check the path", "请检查路径")),
    "E013": (
        ("`field: value` lines", "`字段: 值` 形式的内容"),
        ("write a starter profile with `init -o FILE`", "可用 `init -o 文件` 生成一份起始文件"),
    ),
    "E014": (
        ("a group of fields", "一组字段"),
        ("write `field: value` lines", "请按 `字段: 值` 逐行书写"),
    ),
    "E101": (
        ("a field of the vocabulary", "已定义的字段"),
        ("`init` prints every field with its meaning", "`init` 会列出全部字段及其含义"),
    ),
    "E102": (
        ("a value of the kind of the field", "与字段类型相符的值"),
        ("leave the field out if the value is not known", "不知道时请省略该字段"),
    ),
    "E103": (
        ("a number with a unit, such as “50 GB”", "数字加单位，例如“50 GB”"),
        ("leave the field out if the value is not known", "不知道时请省略该字段"),
    ),
    "E104": (
        ("a value within the range", "范围内的值"),
        ("check the number and its unit", "请检查数值和单位"),
    ),
    "E105": (
        ("a value of the list", "列表中的值"),
        (
            "choose one of the list; `init` says what each field means",
            "请从列表中选择；`init` 会说明各字段的含义",
        ),
    ),
    "E106": (
        ("an id or name of the catalog", "目录中的标识或名称"),
        ("`catalog` lists what there is", "`catalog` 命令可列出已有条目"),
    ),
    "E107": (
        ("a text without control characters", "不含控制字符的文本"),
        ("type the text anew", "请重新输入"),
    ),
    "E108": (
        ("a value, or no field at all", "有值，或不写该字段"),
        ("leave the field out if the value is not known", "不知道时请省略该字段"),
    ),
    "E110": (("fewer rows", "更少的行"), ("join rows that belong together", "请合并同类的行")),
    "E112": (("a CSV table of the load", "负载的 CSV 表"), ("check the file", "请检查该文件")),
    "E115": (
        ("the config.json of a published model", "已发布模型的 config.json"),
        ("state the fields directly", "请直接填写各字段"),
    ),
    "E116": (
        ("a JSON object a line", "每行一个 JSON 对象"),
        ("write one measurement a line", "每行写一条测量记录"),
    ),
    "E120": (
        ("a number with a unit, such as “50 GB”", "数字加单位，例如“50 GB”"),
        ("write a number, a space and a unit", "请写数字、空格和单位"),
    ),
    "E121": (
        ("a number with a unit, such as “50 GB”", "数字加单位，例如“50 GB”"),
        ("use a unit such as GB, Mbit/s, hour or USD", "请用 GB、Mbit/s、hour、USD 等单位"),
    ),
    "E130": (
        ("fewer problems", "更少的问题"),
        ("correct these and check again", "请先改正这些，再重新检查"),
    ),
    "E140": (
        ("a parameter a policy may change", "策略可以修改的参数"),
        ("`rules list` prints the parameters", "`rules list` 会列出参数"),
    ),
    "E142": (
        ("values in their declared order", "符合既定次序的值"),
        ("check both values", "请检查两个值"),
    ),
    "E201": (
        ("path=value", "路径=值"),
        ("for example --set task=inference", "例如 --set task=inference"),
    ),
}
