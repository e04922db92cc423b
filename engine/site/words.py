"""What the site itself says around the contents of a book, and how it writes units."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "anything": ("any", "任意"),
    "answer_in_full": ("The whole answer", "完整结论"),
    "answered": ("Answered", "有估计"),
    "answers": ("Answers to the examples", "示例的结论"),
    "as_of": ("As of", "口径日期"),
    "asked": ("asked", "必问"),
    "assumed_when_absent": ("assumed when absent", "未填时的假设"),
    "basis": ("Basis", "依据类型"),
    "band_covered": ("Rows under the bound of the other groups", "落在其他组所定上限内"),
    "band_measured": ("In these rows", "按这些测量"),
    "band_stored": ("Used", "现用"),
    "because": ("Why", "理由"),
    "bound_over_expected": ("Bound over expected", "上限与中位之比"),
    "cited_by": ("Cited by", "被引用于"),
    "columns": ("Columns", "列"),
    "command": ("On the command line", "命令行"),
    "computed_as": ("Computed as", "计算方法"),
    "date": ("Date", "日期"),
    "default": ("Default", "默认值"),
    "error_held_out": ("Mean error, group left out", "留出该组的平均误差"),
    "error_mean": ("Mean error", "平均误差"),
    "error_median": ("Median error", "误差中位"),
    "error_median_held_out": ("Median error, group left out", "留出该组的误差中位"),
    "error_median_now": ("Median error, constants as used", "现用常数的误差中位"),
    "error_now": ("Mean error, constants as used", "现用常数的平均误差"),
    "each_row_of": ("One row for each combination of", "逐行组合"),
    "examples": ("Examples", "用例"),
    "estimated": ("Our estimate", "本规则的估计"),
    "expects": ("Expected", "期望"),
    "fact": ("Fact", "字段"),
    "facts": ("Facts of the profile", "填写的字段"),
    "figure": ("Figure", "数值"),
    "given": ("Given", "给定"),
    "groups": ("Groups", "组数"),
    "guide": ("Statements of the guide", "指南的论断"),
    "hit": ("Rows are tried", "命中规则"),
    "hit_any": ("any; those that hold agree", "任意一行（命中的行结论相同）"),
    "hit_collect": ("all; every row that holds counts", "收集所有命中的行"),
    "hit_first": ("from the top; the first that holds wins", "自上而下，取第一条命中的行"),
    "hit_priority": ("all; the strongest outcome wins", "取优先级最高的结论"),
    "hit_unique": ("all; exactly one holds", "有且只有一行命中"),
    "id": ("Id", "标识"),
    "kept_where": ("Kept where", "保留条件"),
    "kind": ("Kind", "类别"),
    "line": ("Line", "项目"),
    "mark_conflict": ("pages disagree on this figure", "各来源说法不一"),
    "mark_unseen": ("no page seen confirms this figure", "未找到可核实的来源"),
    "measured": ("Measured", "实测"),
    "measured_figure": ("Figure", "指标"),
    "median_held_out": ("Median error, group left out", "留出该组的误差中位"),
    "median_now": ("Median error, constants as used", "现用常数的误差中位"),
    "missing": ("–", "–"),
    "name": ("Name", "名称"),
    "one_language": ("This document exists in English only.", "本文只有英文版。"),
    "optional": ("optional: absence means “not stated”", "选填：不填表示未说明"),
    "ordered_by": ("Ordered by", "排序依据"),
    "otherwise": ("otherwise", "其余情况"),
    "parameter": ("Parameter", "参数"),
    "parameters": ("Parameters", "参数"),
    "profile": ("The profile", "配置文件"),
    "published_examples": ("Example", "示例"),
    "range": ("Range", "允许范围"),
    "rationale": ("Why this value", "取值理由"),
    "reads": ("Reads", "用到"),
    "reference": ("Reference", "参考"),
    "reference_intro": (
        "Every page of this part is generated from the rule book: version {version}, "
        "catalog of {newest}.",
        "本部分由规则文件自动生成：规则版本 {version}，目录数据日期 {newest}。",
    ),
    "review_by": ("Review by", "复核期限"),
    "row": ("Row", "规则行"),
    "rows": ("Rows", "行数"),
    "rules": ("Rules", "规则"),
    "severity": ("Severity", "严重程度"),
    "source": ("Source", "来源"),
    "sources": ("Sources", "来源"),
    "steps": ("Steps", "档位"),
    "then": ("Then", "结论"),
    "title": ("Title", "标题"),
    "type": ("Type", "类型"),
    "type_boolean": ("yes or no", "是或否"),
    "type_date": ("date", "日期"),
    "type_distribution": ("distribution", "分布"),
    "type_enumeration": ("one of", "取值之一"),
    "type_integer": ("whole number", "整数"),
    "type_key": ("id of the catalog table", "目录表中的标识"),
    "type_list": ("list", "列表"),
    "type_number": ("number", "数值"),
    "type_records": ("list of records", "记录列表"),
    "type_text": ("text", "文本"),
    "unit": ("Unit", "单位"),
    "unknown": ("unknown", "未知"),
    "used_by": ("Read by", "被引用于"),
    "value": ("Value", "取值"),
    "value_best": ("Best on these rows", "按这些测量最佳"),
    "value_stored": ("Used", "现用"),
    "values": ("Values", "可选值"),
    "when": ("When", "条件"),
    "within_a_tenth": ("Within a tenth", "误差一成以内"),
    "within_bound": ("Within the bound", "落在上限内"),
}

# (one, several, Chinese); what is missing here is written as its symbol.
_UNITS: dict[str, tuple[str, str, str]] = {
    "second": ("second", "seconds", "秒"),
    "minute": ("minute", "minutes", "分钟"),
    "hour": ("hour", "hours", "小时"),
    "day": ("day", "days", "天"),
    "month": ("month", "months", "个月"),
    "year": ("year", "years", "年"),
    "card": ("card", "cards", "张卡"),
    "node": ("machine", "machines", "台机器"),
    "card/node": ("card a machine", "cards a machine", "张/台"),
    "frame": ("frame", "frames", "帧"),
    "image": ("image", "images", "张图"),
    "request": ("request", "requests", "次请求"),
    "person": ("person", "people", "人"),
    "token": ("token", "tokens", "token"),
    "token/second": ("token a second", "tokens a second", "token/秒"),
    "GiB/card": ("GiB a card", "GiB a card", "GiB/卡"),
    "km": ("km", "km", "公里"),
    "ms": ("ms", "ms", "毫秒"),
    "kW/card": ("kW a card", "kW a card", "kW/卡"),
    "W/card": ("W a card", "W a card", "W/卡"),
    "GB/second/card": ("GB/s", "GB/s", "GB/s"),
    "TFLOP/second/card": ("TFLOPS", "TFLOPS", "TFLOPS"),
    "Mbit/second": ("Mbit/s", "Mbit/s", "Mbit/s"),
    "Gbit/second": ("Gbit/s", "Gbit/s", "Gbit/s"),
    "Gbit/second/node": ("Gbit/s a machine", "Gbit/s a machine", "Gbit/s/台"),
    "hour/month": ("hours a month", "hours a month", "小时/月"),
    "million*token/month": ("million tokens a month", "million tokens a month", "百万 token/月"),
    "token/second/card": ("tokens a second and card", "tokens a second and card", "token/秒/卡"),
    "week/month": ("weeks a month", "weeks a month", "周/月"),
    "week": ("week", "weeks", "周"),
    "billion": ("billion", "billion", "B"),
    "ratio": ("", "", ""),
    "count": ("", "", ""),
}

# After a currency or a percentage: what it is counted by.
_PER: dict[str, tuple[str, str]] = {
    "card": (" a card", "/卡"),
    "hour": (" an hour", "/小时"),
    "month": (" a month", "/月"),
    "year": (" a year", "/年"),
    "card/hour": (" a card-hour", "/卡时"),
    "card/month": (" a card and month", "/卡/月"),
    "kWh": (" a kilowatt-hour", "/千瓦时"),
    "kW/hour": (" a kilowatt and hour", "/kW/小时"),
    "million/token": (" a million tokens", "/百万 token"),
    "request": (" a request", "/次请求"),
}


def per(units: str, language: str) -> str:
    """What a figure is counted by, after it; "" for no units."""
    if not units:
        return ""
    english, chinese = _PER.get(units, (f"/{units}", f"/{units}"))
    return chinese if language == "zh" else english


def say(name: str, language: str, **values: str) -> str:
    """A phrase of the site in one language. Raises KeyError for a name it does not have."""
    english, chinese = WORDS[name]
    return (chinese if language == "zh" else english).format(**values)


def unit_words(symbol: str, value: float, language: str) -> str:
    """A unit after a number, as a reader writes it."""
    known = _UNITS.get(symbol)
    if known is None:
        return symbol
    if language == "zh":
        return known[2]
    return known[0] if value == 1 else known[1]
