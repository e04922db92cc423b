"""What the command line says, in both languages: help, notices and usage errors."""

from __future__ import annotations

from typing import Any

from engine.language.problems import Position, Problem

COMMAND_LINE = Position("<command line>")

MESSAGES: dict[str, tuple[str, str]] = {
    # commands
    "program": (
        "what your GPU work needs, where it should run, how to pay for it, and why",
        "你的 GPU 任务需要什么、放在哪里跑、怎么付费，以及理由",
    ),
    "recommend": ("answer for a profile", "针对一份配置给出建议"),
    "explain": ("how one decision came about, step by step", "逐步说明一项决策的由来"),
    "init": ("write a commented starter profile", "生成一份带注释的起始配置"),
    "validate": ("check profiles without deciding anything", "只检查配置，不作决策"),
    "score": ("hold published results against the rules", "用公开结果检验规则"),
    "rules": ("check, test and read the rule book", "检查、测试和查阅规则"),
    "catalog": ("browse and check the catalog", "浏览和检查目录数据"),
    "compile": ("the rule book for other runtimes", "把规则编译给其他运行环境"),
    "usage": ("usage", "用法"),
    "commands": ("commands", "命令"),
    "options": ("options", "选项"),
    "arguments": ("arguments", "参数"),
    "more_help": (
        "`{program} COMMAND --help` says what a command takes",
        "用 `{program} 命令 --help` 查看各命令的参数",
    ),
    # arguments
    "help_help": ("show this help", "显示本帮助"),
    "help_version": ("show the version", "显示版本号"),
    "help_profile": (
        "a profile in YAML or JSON; - reads standard input",
        "YAML 或 JSON 配置文件；- 表示标准输入",
    ),
    "help_profiles": (
        "profiles to check; - reads standard input",
        "要检查的配置文件；- 表示标准输入",
    ),
    "help_decision": (
        "what to explain: a decision's id or its last part",
        "要解释的决策：完整标识或最后一段",
    ),
    "help_format": ("how to print the answer", "输出格式"),
    "help_lang": ("language of the texts (default en)", "文字语言（默认 en）"),
    "help_currency": ("currency of the answer", "结果币种"),
    "help_set": (
        "state or replace one field, as path=value; may be repeated",
        "填写或替换一个字段，写作“路径=值”；可重复",
    ),
    "help_policy": (
        "a file with your own values for parameters; may be repeated",
        "自定义参数值的策略文件；可重复",
    ),
    "help_as_of": (
        "day from which prices are judged (YYYY-MM-DD)",
        "判断价格新旧的日期（YYYY-MM-DD）",
    ),
    "help_objective": ("what to optimise", "优化目标"),
    "help_top": ("how many options to list", "列出多少个方案"),
    "help_what_if": (
        "search for the nearest changes that flip a decision",
        "搜索使决策改变的最小变化",
    ),
    "help_record": ("write a decision record to this file", "把决策记录写入该文件"),
    "help_book": (
        "another rule book: a folder with rules/ and catalog/",
        "使用其他规则目录（含 rules/ 与 catalog/）",
    ),
    "help_task": ("only the fields that matter for this task", "只列出与该任务有关的字段"),
    "help_output": ("write to this file", "写入该文件"),
    "help_rules_action": ("what to do with the rule book", "对规则执行的操作"),
    "help_rules_id": (
        "an id, or the beginning or last part of one",
        "规则标识，或其开头、最后一段",
    ),
    "help_table": ("a table of the catalog, or check", "目录中的表，或 check"),
    "help_filter": (
        "keep rows where column=value, column>=number, …",
        "筛选：“列=值”“列>=数字”等",
    ),
    "help_columns": ("columns to show, separated by commas", "要显示的列，以逗号分隔"),
    "help_sort": ("column to sort by", "排序所用的列"),
    "help_descending": ("largest first", "从大到小"),
    "help_limit": ("at most this many rows", "最多显示的行数"),
    "help_to": ("for which runtime, or which schema", "目标运行环境或 JSON Schema"),
    "help_dialect": ("SQL dialect", "SQL 方言"),
    "help_depth": ("how many levels of the tree to print", "打印的层数"),
    "help_score_name": (
        "what was published: memory, throughput, money or cases",
        "公开结果的种类：memory、throughput、money 或 cases",
    ),
    "help_measurements": (
        "measured rows, one JSON object a line; for money a CSV table, for cases a folder"
        " (default tests/cases)",
        "实测记录，每行一个 JSON 对象；money 为 CSV 表，cases 为文件夹（默认 tests/cases）",
    ),
    "help_confidence": (
        "keep rows of this confidence: high,medium,low",
        "只保留这些可信度的记录：high,medium,low",
    ),
    "help_where": (
        "keep rows whose field has this value, as path=value; may be repeated",
        "只保留字段等于该值的记录，写作“路径=值”；可重复",
    ),
    "help_ids": ("keep the rows whose ids this file lists", "只保留该文件列出的记录"),
    "help_near": (
        "instead print the measured rows most like this profile",
        "改为输出与该配置最接近的实测记录",
    ),
    "help_rows": ("also print the estimate of every row", "同时输出每条记录的估计值"),
    "positive": ("a whole number of at least 1", "不小于 1 的整数"),
    "see_help": (
        "`{program} COMMAND --help` says what it takes",
        "用 `{program} 命令 --help` 查看用法",
    ),
    # notices
    "valid": ("{file}: valid, {count} fields", "{file}：有效，共 {count} 个字段"),
    "written": ("written to {file}", "已写入 {file}"),
    "incomplete": (
        "not everything could be decided; the questions above say what to state",
        "有决策无法确定；请按上面的问题补充信息",
    ),
    "no_rows": ("no row matches", "没有符合条件的行"),
    "rows": ("{count} of {total} rows", "{total} 行中的 {count} 行"),
    "tests_passed": (
        "{passed} examples passed, {failed} failed",
        "示例通过 {passed} 个，失败 {failed} 个",
    ),
    "more_findings": (
        "… and {count} more {code}; `--format json` lists them all",
        "……另有 {count} 条 {code}，`--format json` 可列出全部",
    ),
    "marks": (
        "? no page was seen that confirms the figure; ! pages disagree on it",
        "? 未见可核实该数据的页面；! 各页面数据不一致",
    ),
    "case_id": ("case", "案例"),
    "case_status": ("status", "结论"),
    "case_expected": ("expected", "应为"),
    "case_found": ("found", "得到"),
    "case_why": ("why", "理由"),
    "case_right": ("right", "正确"),
    "case_wrong": ("wrong", "错误"),
    "case_dangerous": ("dangerous", "危险"),
    "case_unanswered": ("unanswered", "未回答"),
    "case_later": ("later", "尚无命令"),
    "case_none": ("none", "不适用"),
    "cases_share": (
        "{share:.0%} of the {answered} cases whose command exists are right",
        "已有命令的 {answered} 个案例中，{share:.0%} 正确",
    ),
    "band_fresh": ("fresh", "新鲜"),
    "band_aging": ("aging", "渐旧"),
    "band_stale": ("stale, an estimate only", "过旧，仅作估计"),
    "band_undated": ("undated, never ranks", "无日期，不参与排名"),
    "without_source": ("{count} rows name no source", "{count} 行未注明来源"),
    "nothing_checked": ("nothing was checked", "没有检查任何内容"),
    "check_passed": ("{count} entries checked, no problem found", "已检查 {count} 项，未发现问题"),
    "check_failed": ("{errors} errors, {warnings} warnings", "{errors} 个错误，{warnings} 个警告"),
    "scored": (
        "{rows} rows judged, {skipped} skipped as not usable",
        "检验 {rows} 条记录，跳过 {skipped} 条不可用的",
    ),
    "near_none": ("nothing like it was measured", "没有类似的实测"),
    "near_id": ("id", "编号"),
    "near_metric": ("figure", "指标"),
    "near_measured": ("measured", "实测"),
    "near_expected": ("our estimate", "本规则的估计"),
    "near_source": ("source", "来源"),
    "score_kinds": ("By kind: every group of rows counts once", "按类别：同组记录合计为一"),
    "score_metrics": ("By metric", "按指标"),
    "score_unanswered": ("Rows without an answer", "未能估计的记录"),
    "score_kind": ("kind", "类别"),
    "score_metric": ("metric", "指标"),
    "score_rows": ("rows", "记录"),
    "score_groups": ("groups", "组"),
    "score_answered": ("answered", "已估计"),
    "score_median": ("median", "中位误差"),
    "score_mean": ("mean", "平均误差"),
    "score_within_10": ("≤ 10 %", "≤ 10%"),
    "score_within_20": ("≤ 20 %", "≤ 20%"),
    "score_under": ("under by > 10 %", "低估 > 10%"),
    "score_over": ("over by > 10 %", "高估 > 10%"),
    "score_p95": ("≤ P95", "≤ P95"),
    "score_p10": ("≥ P10", "≥ P10"),
    "score_wide": ("P95 / P50", "P95 / P50"),
    "score_fits": ("fit right", "放得下判断正确"),
    "score_macro": ("mean of kinds with 10 groups or more", "十组及以上类别的平均"),
    "score_reason": ("reason", "原因"),
    "score_rule": ("rule that rows exercise", "被检验的规则"),
    "score_one_step": ("of a single step", "其中仅一步运算"),
    "ask_skip": ("empty: not known", "留空：不知道"),
    "asking": (
        "A few questions; leave an answer empty when you do not know it.",
        "请回答几个问题；不知道的请直接回车。",
    ),
    "starter_title": (
        "A profile. Remove the # where you know the answer; leave out what you do not know.",
        "配置文件。知道的字段请去掉行首的 #；不知道的请保持注释。",
    ),
    "starter_then": (
        "then: python -m engine recommend {file}",
        "然后运行：python -m engine recommend {file}",
    ),
}

# usage errors: code, message, suggestion
USAGE: dict[str, tuple[str, tuple[str, str], tuple[str, str]]] = {
    "unknown_command": (
        "E200",
        ("there is no command {name}", "没有 {name} 这个命令"),
        ("{hint}", "{hint}"),
    ),
    "no_command": (
        "E200",
        ("no command was given", "没有给出命令"),
        ("commands: {commands}", "可用命令：{commands}"),
    ),
    "unknown_option": (
        "E202",
        ("unknown option or argument: {name}", "未知的选项或参数：{name}"),
        ("{hint}", "{hint}"),
    ),
    "missing_argument": (
        "E203",
        ("missing: {name}", "缺少：{name}"),
        ("see `{program} --help`", "请参阅 `{program} --help`"),
    ),
    "invalid_choice": (
        "E204",
        ("{name} cannot be “{value}”", "{name} 不能为“{value}”"),
        ("{hint}", "{hint}"),
    ),
    "missing_value": (
        "E205",
        ("{name} needs a value", "{name} 缺少值"),
        ("", ""),
    ),
    "bad_value": (
        "E205",
        ("{name}: “{value}” is not valid", "{name}：“{value}”无效"),
        ("{hint}", "{hint}"),
    ),
    "bad_usage": ("E206", ("{reason}", "{reason}"), ("", "")),
    "ambiguous_id": (
        "E207",
        ("several entries of the book are called {name}", "规则库中有多个条目名为 {name}"),
        ("one of {hint}", "请写明其一：{hint}"),
    ),
    "unknown_id": (
        "E207",
        ("nothing in the book is called {name}", "规则中没有名为 {name} 的内容"),
        ("{hint}", "{hint}"),
    ),
    "unknown_table": (
        "E208",
        ("the catalog has no table {name}", "目录中没有表 {name}"),
        ("{hint}", "{hint}"),
    ),
    "unknown_column": (
        "E208",
        ("table {table} has no column {name}", "表 {table} 没有列 {name}"),
        ("{hint}", "{hint}"),
    ),
    "no_write": (
        "E209",
        ("{file} cannot be written: {reason}", "无法写入 {file}：{reason}"),
        ("check the place and its permissions", "请检查位置和权限"),
    ),
    "no_access": (
        "E209",
        ("{file} cannot be read or written: {reason}", "{file} 无法读写：{reason}"),
        ("check the place and its permissions", "请检查位置和权限"),
    ),
    "exists": (
        "E209",
        ("{file} exists already", "{file} 已存在"),
        ("choose another name or remove it first", "请换一个文件名，或先删除它"),
    ),
    "no_file": (
        "E209",
        ("{file} does not exist", "{file} 不存在"),
        ("name a folder of cases or one of its files", "请指定案例文件夹或其中一个文件"),
    ),
    "no_book": (
        "E210",
        ("{folder} holds no rule book", "{folder} 中没有规则"),
        ("name a folder with rules/ and catalog/", "请指定含有 rules/ 与 catalog/ 的目录"),
    ),
    "no_measured_row": (
        "E211",
        ("no usable row of {file} was selected", "{file} 中没有选中可用的记录"),
        ("check --confidence, --where and --ids", "请检查 --confidence、--where 与 --ids"),
    ),
    "unknown_measure": (
        "E204",
        ("there are no rules to judge {name}", "没有检验 {name} 的规则"),
        ("{hint}", "{hint}"),
    ),
    "internal": (
        "E900",
        ("internal error: {reason}", "内部错误：{reason}"),
        (
            "this is a bug; run again with GPUWISE_TRACEBACK=1 and report what it prints",
            "这是程序缺陷；请设置 GPUWISE_TRACEBACK=1 重新运行并反馈输出",
        ),
    ),
}


def message(name: str, language: str, /, **values: Any) -> str:
    """A text of `MESSAGES` with its values put in."""
    text = MESSAGES[name][1 if language == "zh" else 0]
    return text.format(**values) if values else text


def usage_problem(name: str, language: str, /, *, expected: str = "", **values: Any) -> Problem:
    """A finding of `USAGE` about the command line."""
    code, texts, hints = USAGE[name]
    which = 1 if language == "zh" else 0
    return Problem(
        code,
        texts[which].format(**values),
        COMMAND_LINE,
        expected,
        hints[which].format(**values) or message("see_help", language, program="gpuwise"),
    )
