"""Outcomes as bytes: equal exactly when two outcomes are the same bit for bit.

The bytes are those of Python's `marshal`, version 2, which writes doubles as they are and shares
nothing; JavaScript writes the same format. Unknown, true, 1 and 1.0 are told apart.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping
from typing import Any

VERSION = 2
PARTS = ("facts", "decisions", "advice", "relations")


def packed(outcome: Mapping[str, Any], order: Mapping[str, Any] | None = None) -> bytes:
    """An outcome, in the order of the names of another.

    A name that is missing, or one too many, shows as the text "absent".
    """
    if order is None:
        parts: list[Any] = [list(outcome[part].values()) for part in PARTS]
        parts.append([_ranking(one) for one in outcome["rankings"].values()])
        return marshal.dumps(parts, VERSION)
    parts = [_in_order(outcome[part], order[part]) for part in PARTS]
    parts.append([_ranking(outcome["rankings"].get(name, "absent")) for name in order["rankings"]])
    if any(len(outcome[part]) != len(order[part]) for part in order):
        parts.append("absent")
    return marshal.dumps(parts, VERSION)


def _in_order(values: Mapping[str, Any], order: Mapping[str, Any]) -> list[Any]:
    if list(values) == list(order):
        return list(values.values())
    return [values.get(name, "absent") for name in order]


def _ranking(ranking: Any) -> Any:
    return list(ranking.values()) if isinstance(ranking, Mapping) else ranking


def all_packed(
    outcomes: Iterable[Mapping[str, Any]], orders: Iterable[Mapping[str, Any]] | None = None
) -> bytes:
    """Outcomes one after another."""
    if orders is None:
        return b"".join(packed(outcome) for outcome in outcomes)
    return b"".join(packed(*pair) for pair in zip(outcomes, orders, strict=True))


def count(outcome: Mapping[str, Any]) -> int:
    """How many values an outcome holds."""
    single = sum(len(outcome[part]) for part in ("facts", "decisions"))
    listed = sum(len(rows) for rows in outcome["advice"].values())
    cells = sum(len(rows) * len(rows[0]) for rows in outcome["relations"].values() if rows)
    ranked = sum(len(part) for one in outcome["rankings"].values() if one for part in one.values())
    return single + listed + cells + ranked


# `run_` takes a list of profiles; `widths_`: how many row numbers the rows of a relation begin
# with, which are whole numbers where everything else is a double.
JAVASCRIPT = """
var buffer_=new Uint8Array(1<<22),view_=new DataView(buffer_.buffer),at_=0,texts_=new Map(),sent_;
function room_(size){
if(at_+size<=buffer_.length)return;
var larger=new Uint8Array(buffer_.length*2+size);
larger.set(buffer_);buffer_=larger;view_=new DataView(larger.buffer);
}
function mark_(code,size){room_(5);buffer_[at_]=code;view_.setInt32(at_+1,size,true);at_+=5;}
function none_(){room_(1);buffer_[at_++]=78;}
function whole_(value){if(value===null)none_();else mark_(105,value);}
function text_(value){
var bytes=texts_.get(value);
if(bytes===undefined){
var plain=unescape(encodeURIComponent(value));
bytes=new Uint8Array(plain.length);
for(var i=0;i<plain.length;i++)bytes[i]=plain.charCodeAt(i);
texts_.set(value,bytes);
}
mark_(117,bytes.length);room_(bytes.length);buffer_.set(bytes,at_);at_+=bytes.length;
}
function value_(value){
switch(typeof value){
case 'number':room_(9);buffer_[at_]=103;view_.setFloat64(at_+1,value,true);at_+=9;return;
case 'boolean':room_(1);buffer_[at_++]=value?84:70;return;
case 'string':text_(value);return;
}
if(value===null){none_();return;}
mark_(40,value.length);
for(var i=0;i<value.length;i++)value_(value[i]);
}
function each_(items,write){mark_(91,items.length);for(var i=0;i<items.length;i++)write(items[i]);}
function rows_(rows,width){
if(rows===null){none_();return;}
each_(rows,function(row){
mark_(40,row.length);
for(var i=0;i<row.length;i++)if(i<width)whole_(row[i]);else value_(row[i]);
});
}
function ranking_(ranking){
if(ranking===null){none_();return;}
mark_(91,3);each_(ranking.order,whole_);each_(ranking.undecided,whole_);
each_(ranking.pareto,value_);
}
function pack_(outcome){
mark_(91,5);
['facts','decisions','advice'].forEach(function(part){each_(Object.values(outcome[part]),value_);});
var names=Object.keys(outcome.relations);
mark_(91,names.length);
names.forEach(function(name){rows_(outcome.relations[name],widths_[name]);});
each_(Object.values(outcome.rankings),ranking_);
}
function run_(profiles){
at_=0;
for(var i=0;i<profiles.length;i++)pack_(gpuwise.evaluate(profiles[i],parameters_,tables_));
return at_;
}
"""
