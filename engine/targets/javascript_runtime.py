"""What generated JavaScript calls at run time. Only the functions a script uses go into it."""

from __future__ import annotations

from collections.abc import Iterable

# Arrays compare by content where a composite key is needed through nested maps.
_HEAD = """
const indexes_=new WeakMap();
function fact_(given,path){
const value=Object.prototype.hasOwnProperty.call(given,path)?given[path]:null;
return value===undefined?null:value;
}
function index_(rows,positions){
const found=new Map();
rows.forEach(function(row,number){
let inner=found;
positions.forEach(function(position,depth){
const key=row[position],last=depth===positions.length-1;
if(!inner.has(key))inner.set(key,last?[]:new Map());
inner=inner.get(key);
});
inner.push(number);
});
return found;
}
function tableIndex_(table,positions){
if(!indexes_.has(table))indexes_.set(table,new Map());
const cached=indexes_.get(table),name=positions.join();
if(!cached.has(name))cached.set(name,index_(table.rows,positions));
return cached.get(name);
}
"""

_FUNCTIONS = {
    "found": """
function found_(index,keys){
let inner=index;
for(const key of keys){
inner=inner.get(key);
if(inner===undefined)return [];
}
return inner;
}
""",
    "or_blank": """
function orBlank_(rows){return rows.length>0?rows:[null];}
""",
    "power": """
function power_(x,n){
let r=1;
for(let bit=12;bit>=0;bit--){r=r*r;if(n>>bit&1)r=r*x;}
return r;
}
""",
    "interpolate": """
function interpolate_(line,x){
if(line===null)return null;
const xs=line[0],ys=line[1],n=xs.length-1;
if(x<xs[0])return line[3]?ys[0]:null;
if(x>=xs[n])return line[4]||x===xs[n]?ys[n]:null;
const i=bisect_(xs,x)-1,y=ys[i]+(x-xs[i])*line[2][i],end=ys[i+1];
return end>=ys[i]?(y<=end?y:end):(y>=end?y:end);
}
""",
    "first_at_least": """
function first_at_least_(steps,x){
for(const step of steps)if(step>=x)return step;
return null;
}
""",
    "lookup": """
function lookup_(rows,index,key){
const found=index.get(key);
return found===undefined?null:rows[found[0]];
}
""",
    "bisect": """
function bisect_(cuts,x){
let low=0,high=cuts.length;
while(low<high){const middle=low+high>>1;if(x<cuts[middle])high=middle;else low=middle+1;}
return low;
}
""",
    "steps": """
function steps_(start,stop,step){
const values=[];
for(let n=0;start+n*step<=stop;n++)values.push(start+n*step);
return values;
}
""",
    "grouped": """
function grouped_(rows,positions){
const found=new Map(),groups=[];
rows.forEach(function(row){
let inner=found;
positions.forEach(function(position,depth){
const key=row[position];
if(!inner.has(key)){
const last=depth===positions.length-1,made=last?[]:new Map();
inner.set(key,made);
if(last)groups.push([positions.map(function(p){return row[p];}),made]);
}
inner=inner.get(key);
});
inner.push(row);
});
return groups;
}
""",
    "row_numbers": """
function row_numbers_(words){
const found=[];
words.forEach(function(word,at){
for(let bit=0;bit<31;bit++)if(word>>bit&1)found.push(at*31+bit);
});
return found;
}
""",
    "row_numbers_but": """
function row_numbers_but_(words,others){
return row_numbers_(words.map(function(word,at){return word&~others[at];}));
}
""",
    "candidates": """
function candidates_(yes,possible){
const found=[];
for(let at=0;at<possible.length;at++)for(let bit=0;bit<31;bit++){
if(possible[at]>>bit&1)found.push(at*31+bit);
if(yes[at]>>bit&1)return found;
}
return found;
}
""",
    "collected": """
function collected_(values){return values.includes(null)?null:values;}
""",
    "collected_sum": """
function collected_sum_(values){
let total=0;
for(const value of values){if(value===null)return null;total=total+value;}
return total+0;
}
""",
    "collected_count": """
function collected_count_(values){return values.length;}
""",
    "collected_min": """
function collected_min_(values){
return values.length===0||values.includes(null)?null:Math.min.apply(null,values)+0;
}
""",
    "collected_max": """
function collected_max_(values){
return values.length===0||values.includes(null)?null:Math.max.apply(null,values)+0;
}
""",
    "prioritised": """
function prioritised_(definite,maybe,outputs,orders){
function rank(row){
const ranks=[];
outputs[row].forEach(function(value,k){
if(value===null)ranks.push(-1);
else if(orders[k]!==null)ranks.push(orders[k].get(value));
});
ranks.push(row);
return ranks;
}
function ahead(a,b){
const x=rank(a),y=rank(b),n=Math.min(x.length,y.length);
for(let k=0;k<n;k++)if(x[k]!==y[k])return x[k]<y[k];
return x.length<y.length;
}
let best=definite[0];
for(const row of definite)if(ahead(row,best))best=row;
const values=outputs[best];
for(const row of maybe){
if(ahead(row,best)&&outputs[row].some(function(v,k){return v===null||v!==values[k];}))
return values.map(function(){return null;});
}
return values;
}
""",
    "ranked": """
function ranked_(rows,kept,undecided,kinds,by,axes){
const width=kinds.length;
kept.sort(function(a,b){
for(let k=0;k<kinds.length;k++){
const x=a[k],y=b[k];
if(x===y)continue;
if(kinds[k]===0){if(x<y)return -1;if(x>y)return 1;continue;}
if(x===null)return 1;
if(y===null)return -1;
const order=texts_(x,y);
if(order!==0)return kinds[k]<0?-order:order;
}
return a[width]-b[width];
});
const order=kept.map(function(entry){return entry[width];});
const flags=axes?front_(kept.map(function(entry){return entry.slice(width+1);})):[];
let best=null;
if(kept.length>0&&by!==null&&!kept[0].slice(0,by).some(function(key){
return key===null||key===Infinity||key==="\\udbff\\udfff";
}))best=rows[order[0]];
return [order,undecided,flags,best];
}
""",
    "texts": """
function texts_(a,b){
const n=Math.min(a.length,b.length);
for(let i=0;i<n;i++){
const x=a.charCodeAt(i),y=b.charCodeAt(i);
if(x!==y){
const high=x>=0xd800&&x<0xe000,other=y>=0xd800&&y<0xe000;
return high!==other?(high?1:-1):x-y;
}
}
return a.length-b.length;
}
""",
    "front": """
function front_(points){
const flags=points.map(function(){return false;});
const known=[];
points.forEach(function(p,n){if(p[0]!==null&&p[1]!==null)known.push(n);});
known.sort(function(a,b){return points[a][0]-points[b][0]||points[a][1]-points[b][1];});
let best=Infinity,least=Infinity,last=null;
for(const n of known){
const x=points[n][0],y=points[n][1];
if(x!==last){best=Math.min(best,least);last=x;least=y;}
flags[n]=y===least&&y<best;
}
return flags;
}
""",
}

_NEEDS = {
    "interpolate": ("bisect",),
    "row_numbers_but": ("row_numbers",),
    "ranked": ("front", "texts"),
}


def source(used: Iterable[str]) -> str:
    """The text of the functions used, and of what they need."""
    names = {"found", "or_blank", *used}
    for name in sorted(names):
        names.update(_NEEDS.get(name, ()))
    return "".join([_HEAD, *(text for name, text in _FUNCTIONS.items() if name in names)]).strip()
