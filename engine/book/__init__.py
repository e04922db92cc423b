"""The rule book: YAML and CSV files to a typed, resolved `Book` with positions kept.

Codes of problems: E001 to E012 a YAML file; B001 to B006 its shape; B010 to B014 files and names;
B020 to B025 declarations; B030 values; B040 to B044 decisions; B050 to B055 relations; B060 texts;
B070, B071 examples and claims; B080 to B082 catalog declaration and sources; B090 to B092 names
with two meanings, of the wrong sort, in a cycle; C001 to C013, W010 the catalog's data.
Unknown names are B110 and B112, as in expressions.
"""
