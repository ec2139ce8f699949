! 0
! qty
! qty + 1
"a"
"it's"
"name"
' '
'%'
''
'1' + '2'
'1' = 1
'1' || 2 + 3
'12abc' + 1
'a%' LIKE name
'a' "b"
'a' 'b'
'a' < 'B'
'a' = 'A'
'a' || 'b'
'a' || NULL
'a\'b'
'a\\b'
'a\b'
'a\nb'
'abc' + 1
'it''s'
'say "x"'
'é'
'日本語'
(1 OR 0) AND 0
(1, 2) < (1, 3)
(SELECT COUNT(*) FROM sale WHERE itemId = item.id)
(SELECT MAX(at) FROM sale s WHERE s.itemId = item.id) > '2024-01-01'
(qty > 2) + 1
(qty > 2) = 0
(qty, id) = (10, 1)
(qty, id) IN ((10, 1), (3, 2))
+5
+code = 10
- -5
- qty * 2
-(-5)
-+5
--5
-7 DIV 2
-7%3
-7/2
-9223372036854775808
-CASE WHEN qty > 1 THEN 1 ELSE 2 END
-qty%3
-~5
.5+.5
0 AND NULL
0 IS FALSE
0 OR NULL
0.1+0.2
00012
0x10
0x1F + 1
1 != 2
1 && 0
1 + qty NOT NULL
1 - -1
1 <=> NULL
1 <> 2
1 = qty NOT IN (1, 2)
1 == 1
1 AND NULL
1 IS NOT NULL
1 IS TRUE
1 OR 0 AND 0
1 OR NULL
1 XOR 1
1 || 0
1 || 0 && 0
1- -1
1.5e2-1
1.e2
1/2
10 DIV 3 MOD 2
10-(2-3)
10-2-3
10/(5/2)
100/10/2
12e
1<2<3
1<<1<<1
1<<2
1<<2+1
1=2=0
1E3
1_0
1_000
1e+3
1e-3
1e3 - 1e3
1e3+1e3
1e3-1e3
1|2
1|2&3
1|2+4
2 * 7 DIV 3
2 NOT IN (1, 3) NOT IN (0, 5)
2 ^ 3
2*-3
2*3+4
2+3*4
2=2=1
3 = 3 IS NULL
3>2>1
5 ^ 1 + 1
5&3
5.
5.+1
5e2-1e2
6&3|8
7 DIV 2 * 2
7%-3
7%3
7.5%2
7/0
7/2
7/2.0
8>>1
9223372036854775807
9223372036854775808
ABS('x')
ABS(-5)
ABS(weight)
ADDDATE(made, 31)
ADDDATE(made, INTERVAL 1 MONTH)
ASCII('a')
AVG(qty) OVER (PARTITION BY parent) * 2
BINARY name = 'apple'
BIT_COUNT(7)
BIT_LENGTH('a')
CASE 1 WHEN 1.0 THEN 'same' ELSE 'no' END
CASE WHEN NULL THEN 1 ELSE 2 END + 1
CASE WHEN name LIKE 'a%' THEN 1 END
CASE WHEN qty > 5 THEN 'a' WHEN qty > 1 THEN 'b' ELSE 'c' END
CASE WHEN qty THEN 1 ELSE 0 END
CASE qty WHEN 10 THEN 'ten' WHEN 3 THEN 'three' END
CASE qty WHEN NULL THEN 'n' ELSE 'o' END
CAST('' AS INTEGER)
CAST('1.50' AS DECIMAL(10,2))
CAST('1.50' AS DECIMAL)
CAST('1.50' AS NUMERIC)
CAST('1.9' AS INTEGER)
CAST('12abc' AS INTEGER)
CAST('1e3' AS INTEGER)
CAST('2024-01-31 10:00:00' AS DATE)
CAST('2024-01-31' AS DATE)
CAST('abc' AS INTEGER)
CAST(-1 AS UNSIGNED)
CAST(-2.5 AS INTEGER)
CAST(2.7 AS SIGNED)
CAST(NULL AS INTEGER)
CAST(STRFTIME('%Y', made) AS INTEGER) = 2024
CAST(TRUE AS INTEGER)
CAST(made AS DATE)
CAST(name AS BINARY)
CAST(name AS BLOB)
CAST(name AS CHAR(3))
CAST(price AS DECIMAL(10,1))
CAST(price AS DECIMAL)
CAST(price AS INT)
CAST(price AS INTEGER)
CAST(price AS SIGNED)
CAST(qty AS BIGINT)
CAST(qty AS BOOLEAN)
CAST(qty AS CHAR(1))
CAST(qty AS CHAR)
CAST(qty AS DOUBLE)
CAST(qty AS DOUBLE) / 4
CAST(qty AS FLOAT)
CAST(qty AS NUMERIC)
CAST(qty AS REAL)
CAST(qty AS REAL) * 100 / 3
CAST(qty AS REAL) / 4
CAST(qty AS SMALLINT)
CAST(qty AS TEXT)
CAST(qty AS TINYINT)
CAST(qty AS UNSIGNED)
CAST(qty AS VARCHAR(1))
CAST(qty AS VARCHAR)
CAST(sold AS CHAR)
CAST(sold AS DATE)
CAST(sold AS DATETIME)
CAST(sold AS TIME)
CAST(sold AS TIMESTAMP)
CAST(weight AS INTEGER)
CAST(weight AS TEXT)
CEIL(weight)
CEILING(weight)
CHAR(65)
CHARACTER_LENGTH(name)
CHAR_LENGTH(name)
COALESCE(NULL, NULL, 3)
COALESCE(name, 'none')
COALESCE(qty, 0) = 0 AND NOT parent
CONCAT('a', NULL)
CONCAT(name, '-', code)
CONCAT(name, NULL)
CONCAT_WS('-', name, NULL, code)
CONVERT(name USING utf8mb4)
CONVERT(price, CHAR)
CONVERT(price, DECIMAL(10,1))
CONVERT(price, SIGNED)
CONVERT(price, SIGNED) + 1
CONVERT(sold, DATE)
COUNT(*) OVER (PARTITION BY parent)
CRC32('a')
CUME_DIST() OVER (ORDER BY qty)
CURDATE() > '2000-01-01'
CURRENT_DATE > '2000-01-01'
CURRENT_DATE() > '2000-01-01'
CURRENT_TIMESTAMP > '2000-01-01'
CURRENT_TIMESTAMP() > '2000-01-01'
DATE '2024-01-31'
DATE('2024-01-31')
DATE('2024-01-31', '+1 month')
DATE('2024-02-30')
DATE('now') > '2000-01-01'
DATE(NOW()) > '2000-01-01'
DATE(made, '+1 month')
DATE(made, 'start of month')
DATE(made, 'start of month', '+1 month', '-1 day')
DATE(sold)
DATE(sold) = '2024-01-31'
DATE(sold, '+1 day')
DATEDIFF('2024-03-01', made)
DATEDIFF(sold, '2024-01-01')
DATEDIFF(sold, made)
DATETIME('2024-01-31')
DATETIME(made, '+36 hours')
DATETIME(sold)
DATE_ADD('2024-01-31', INTERVAL 1 MONTH)
DATE_ADD(made, INTERVAL '2' MONTH)
DATE_ADD(made, INTERVAL 1 DAY)
DATE_ADD(made, INTERVAL 1 MONTH)
DATE_ADD(made, INTERVAL 1.5 DAY)
DATE_ADD(made, INTERVAL qty + 1 DAY)
DATE_ADD(made, INTERVAL qty DAY)
DATE_ADD(sold, INTERVAL '1 1' DAY_HOUR)
DATE_ADD(sold, INTERVAL '1:30' HOUR_MINUTE)
DATE_ADD(sold, INTERVAL -1 WEEK)
DATE_ADD(sold, INTERVAL 90 MINUTE)
DATE_FORMAT(made, '%Y-%m')
DATE_FORMAT(made, '%i')
DATE_FORMAT(sold, '%%Y %%M %q')
DATE_FORMAT(sold, '%B %A %-d %-m %G %z %Z')
DATE_FORMAT(sold, '%D')
DATE_FORMAT(sold, '%F')
DATE_FORMAT(sold, '%H:%i:%s')
DATE_FORMAT(sold, '%M %d')
DATE_FORMAT(sold, '%T')
DATE_FORMAT(sold, '%W %a')
DATE_FORMAT(sold, '%Y-%m-%d')
DATE_FORMAT(sold, '%b %e %y')
DATE_FORMAT(sold, '%c/%e/%Y')
DATE_FORMAT(sold, '%j %f %S')
DATE_FORMAT(sold, '%p %h %I %l %k')
DATE_FORMAT(sold, '%r')
DATE_FORMAT(sold, '%u %U %v %V %x %X')
DATE_FORMAT(sold, '%w')
DATE_FORMAT(sold, 'at %H o''clock, 100%')
DATE_FORMAT(sold, CONCAT('%Y','-%M'))
DATE_FORMAT(sold, IF(qty > 2, '%M', '%Y'))
DATE_FORMAT(sold, REPLACE('%Y-x', 'x', '%M'))
DATE_FORMAT(sold, name)
DATE_SUB(made, INTERVAL '1-2' YEAR_MONTH)
DATE_SUB(made, INTERVAL 1 QUARTER)
DATE_SUB(made, INTERVAL 1 YEAR)
DATE_SUB(made, INTERVAL 1.5 MONTH)
DAY(made)
DAYNAME(made)
DAYOFMONTH(made)
DAYOFWEEK(made)
DAYOFYEAR(made)
DENSE_RANK() OVER (ORDER BY qty DESC)
ELT(2, 'a', 'b')
EXISTS (SELECT 1 FROM sale WHERE sale.itemId = item.id)
EXP(1)
EXTRACT(DAY_HOUR FROM sold)
EXTRACT(HOUR FROM sold)
EXTRACT(MONTH FROM sold)
EXTRACT(QUARTER FROM made)
EXTRACT(WEEK FROM made)
EXTRACT(YEAR FROM made)
EXTRACT(YEAR_MONTH FROM sold)
FALSE
FIELD(name, 'banana', 'Apple')
FIND_IN_SET('b', 'a,b,c')
FIRST_VALUE(name) OVER (PARTITION BY parent ORDER BY id)
FLOOR(-0.5)
FLOOR(weight)
FORMAT(1234.5, 2, 'de_DE')
FORMAT(1234567.891, 0)
FORMAT(1234567.891, 2)
FROM_DAYS(739000)
FROM_UNIXTIME(1700000000)
FROM_UNIXTIME(1700000000, '%H:%i')
FROM_UNIXTIME(1700000000, '%Y-%m-%d')
FROM_UNIXTIME(1700000000, CONCAT('%Y', '-%M')) > ''
GREATEST(1, 2)
GREATEST(1, NULL)
GREATEST(qty, 5)
HEX('a')
HOUR(sold)
IF(NULL, 1, 2)
IF(qty > 2, 'many', 'few')
IFNULL(name, 'none')
IFNULL(qty, 0) + 1
IIF(qty > 2, 'many', 'few')
INSERT('abcdef', 2, 2, 'X')
INSTR('abc', 'c')
INSTR(NULL, 'a')
INSTR(name, 'a')
INTERVAL -1 DAY + made
INTERVAL 1 DAY + made
INTERVAL(23, 1, 15, 17, 30, 44, 200)
ISNULL(qty)
ITEM.NAME
JSON_ARRAY_LENGTH(tags)
JSON_ARRAY_LENGTH(tags, '$.n')
JSON_CONTAINS(tags, '1', '$.n')
JSON_EXTRACT(tags, '$')
JSON_EXTRACT(tags, '$."a.b"')
JSON_EXTRACT(tags, '$.a.b')
JSON_EXTRACT(tags, '$.c')
JSON_EXTRACT(tags, '$.c', '$.n')
JSON_EXTRACT(tags, '$.d."e f"')
JSON_EXTRACT(tags, '$.n')
JSON_EXTRACT(tags, '$.n[#-1]')
JSON_EXTRACT(tags, '$.n[0]')
JSON_EXTRACT(tags, '$.n[1]')
JSON_EXTRACT(tags, '$.zz')
JSON_EXTRACT(tags, '$[0]')
JSON_EXTRACT(tags, '$[1]')
JSON_LENGTH(tags, '$.n')
JSON_TYPE(tags)
JSON_TYPE(tags, '$.n')
JSON_UNQUOTE(JSON_EXTRACT(tags, '$.c'))
JSON_VALID(tags)
JSON_VALUE(tags, '$.c')
JULIANDAY(made)
JULIANDAY(sold) - JULIANDAY(made)
LAG(qty) OVER (ORDER BY id)
LAG(qty, 2, 0) OVER (ORDER BY id)
LAST_DAY(made)
LAST_VALUE(name) OVER (PARTITION BY parent ORDER BY id)
LCASE(name)
LEAD(name) OVER (ORDER BY id)
LEAST(1, NULL)
LEAST(qty, 5)
LEFT(name, 2)
LENGTH('')
LENGTH('é')
LENGTH(NULL)
LENGTH(name)
LENGTH(qty)
LN(10)
LOCATE('a', name)
LOCATE('a', name, 3)
LOG(10)
LOG(2, 8)
LOG10(100)
LOG2(8)
LOWER('ÉA')
LOWER(name)
LPAD('abcdef', 3, 'x')
LPAD(id, 4, '0')
LTRIM('  a')
LTRIM('xxa', 'x')
MAKEDATE(2024, 60)
MAKETIME(10, 11, 12)
MAX(1, 2)
MAX(qty, 5)
MICROSECOND(sold)
MID(name, 2, 3)
MIN(1, 2)
MIN(price, weight)
MINUTE(sold)
MOD(-7, 3)
MOD(7, 3)
MOD(7.5, 2)
MOD(qty, 3)
MONTH(made)
MONTHNAME(made)
N'abc'
NOT ! 1
NOT (1 AND 0)
NOT 0 AND 0
NOT 1 + 1
NOT 1 = 2
NOT 1 XOR 1
NOT EXISTS (SELECT 1 FROM sale WHERE sale.itemId = item.id)
NOT NULL
NOT code LIKE 'a|_%' ESCAPE '|'
NOT name IS NULL
NOT name LIKE 'a%'
NOT qty
NOT qty = 10
NOT qty > 2 = 0
NOT qty BETWEEN 1 AND 5
NOT qty IN (1, 2) = 0
NOT qty IN (1,2)
NOW() + INTERVAL 1 DAY > NOW()
NOW() > '2000-01-01'
NTH_VALUE(name, 2) OVER (ORDER BY id)
NTILE(3) OVER (ORDER BY id)
NULL <> NULL
NULL = NULL
NULL IS NOT TRUE
NULL IS NULL
NULL IS TRUE
NULL || 1
NULLIF(1, 1)
NULLIF(name, '')
NULLIF(qty, 10)
NVL(qty, 1)
OCTET_LENGTH('é')
PERCENT_RANK() OVER (ORDER BY id)
PERIOD_ADD(202312, 3)
PERIOD_DIFF(202403, 202312)
PI()
POSITION('a' IN name)
POW(2, 0.5)
POWER(2, 10)
QUARTER(made)
RAND() < 2
RANK() OVER (ORDER BY qty)
REPEAT('ab', 3)
REPLACE(name, '', 'x')
REPLACE(name, 'A', '')
REPLACE(name, 'a', 'b')
REPLACE(name, NULL, 'x')
REVERSE(name)
RIGHT(name, 2)
ROUND(-1.5)
ROUND(-2.5)
ROUND(1.005, 2)
ROUND(2.5)
ROUND(3.5)
ROUND(CAST(qty AS FLOAT) / 3, 2)
ROUND(NULL)
ROUND(price, -1)
ROUND(price, 1)
ROUND(qty / 3, 2)
ROUND(qty / 3.0, 2)
ROUND(weight)
ROUND(weight, 1)
ROW_NUMBER() OVER (ORDER BY qty DESC, id)
RPAD(name, 8, '.')
RTRIM('a  ')
RTRIM('axx', 'x')
SECOND(sold)
SEC_TO_TIME(3661)
SIGN(qty)
SPACE(3)
SQRT(-1)
SQRT(16)
STD(qty) OVER ()
STDDEV(qty) OVER ()
STRCMP('a', 'b')
STRFTIME('%%', made)
STRFTIME('%H:%M:%S', sold)
STRFTIME('%J', made)
STRFTIME('%M', sold)
STRFTIME('%W', made)
STRFTIME('%Y' || '-%m', made)
STRFTIME('%Y', 'now') > 2000
STRFTIME('%Y', made)
STRFTIME('%Y', made) + 1
STRFTIME('%Y', made) = '2024'
STRFTIME('%Y', made) = 2024
STRFTIME('%Y', made, '+1 year')
STRFTIME('%Y-%m', made)
STRFTIME('%Y-%m-%d', made)
STRFTIME('%b', made)
STRFTIME('%d', sold)
STRFTIME('%e', made)
STRFTIME('%f', sold)
STRFTIME('%i', sold)
STRFTIME('%j', made)
STRFTIME('%m', sold)
STRFTIME('%s', made)
STRFTIME('%w', made)
STRFTIME('%y', made)
STR_TO_DATE('10:11:12', '%T')
STR_TO_DATE('2024-01-31 10:11', '%Y-%m-%d %H:%i')
STR_TO_DATE('2024-01-31', CONCAT('%Y-%m', '-%d'))
STR_TO_DATE('31 January 2024', '%d %M %Y')
STR_TO_DATE('31/01/2024', '%d/%m/%Y')
STR_TO_DATE('Jan 5, 2024 3:04 PM', '%b %e, %Y %l:%i %p')
STR_TO_DATE(CONCAT('2024', '-01-31'), CONCAT('%Y', '-%m-%d'))
SUBDATE(made, 31)
SUBSTR(name, -3)
SUBSTR(name, -3, 2)
SUBSTR(name, 0)
SUBSTR(name, 0, 2)
SUBSTR(name, 2)
SUBSTR(name, 2, -1)
SUBSTR(name, 2, 0)
SUBSTR(name, 2, 2)
SUBSTRING(name FROM 2 FOR 2)
SUBSTRING(name FROM 2)
SUBSTRING(name, 1, 3)
SUBSTRING_INDEX('a,b,c', ',', -1)
SUBSTRING_INDEX('a,b,c', ',', 2)
SUM(qty) FILTER (WHERE qty > 2) OVER ()
SUM(qty) OVER ()
SUM(qty) OVER (ORDER BY id ROWS 2 PRECEDING)
SUM(qty) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW)
SUM(qty) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
SUM(qty) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
SUM(qty) OVER (ORDER BY qty GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)
SUM(qty) OVER (ORDER BY qty RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)
SUM(qty) OVER (ORDER BY qty RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
SUM(qty) OVER (PARTITION BY parent ORDER BY id)
SYSDATE() > '2000-01-01'
TIME '10:00:00'
TIME('10:11:12')
TIME(sold)
TIMEDIFF(sold, '2024-01-01 00:00:00')
TIMESTAMP '2024-01-31 10:00:00'
TIMESTAMP(made)
TIMESTAMP(made, '10:00:00')
TIMESTAMPADD(DAY, 1, made)
TIMESTAMPADD(MONTH, -1, sold)
TIMESTAMPDIFF(DAY, '2024-01-31', sold)
TIMESTAMPDIFF(HOUR, made, sold)
TIMESTAMPDIFF(MONTH, made, sold)
TIMESTAMPDIFF(SECOND, made, sold)
TIMESTAMPDIFF(YEAR, made, '2024-12-31')
TIME_FORMAT('25:10:11', '%H %k %h %i')
TIME_FORMAT(sold, '%H:%i')
TIME_TO_SEC(sold)
TO_DAYS(made)
TRIM('  a  ')
TRIM('x' FROM 'xax')
TRIM('xax', 'x')
TRIM(BOTH 'x' FROM 'xax')
TRIM(LEADING 'x' FROM 'xax')
TRIM(TRAILING 'x' FROM 'xax')
TRUE
TRUE + TRUE
TRUE = 1
TRUE ISNULL / 2
TRUNC(2.7)
TRUNCATE(2.789, 1)
TYPEOF(1/2)
TYPEOF(1e3)
TYPEOF(CAST('1.5' AS DECIMAL))
TYPEOF(CAST('12' AS DOUBLE))
TYPEOF(CAST(1 AS DECIMAL(10,2)))
TYPEOF(CAST(1 AS FLOAT))
TYPEOF(price)
TYPEOF(qty)
UCASE(name)
UNIXEPOCH(sold)
UNIX_TIMESTAMP('2024-01-01')
UNIX_TIMESTAMP(sold)
UPPER('éa')
UPPER(name)
UTC_DATE() > '2000-01-01'
VARIANCE(qty) OVER ()
WEEK(made)
WEEK(made, 1)
WEEK(made, 3)
WEEKDAY(made)
WEEKOFYEAR(made)
X'41'
YEAR(made)
YEAR(sold) * 100 + MONTH(sold)
YEARWEEK(made)
YEARWEEK(made, 1)
[name]
_utf8'abc'
`item`.`name`
`name`
b'101'
code * 1
code + 0
code = 10
code = 10 AND +code = 10
code > '9'
code > 9
code LIKE '_-1'
code LIKE 'b|_2' ESCAPE '|'
code NOT LIKE 'a%'
code NOT LIKE 'a|_%' ESCAPE '|'
id IN (SELECT itemId FROM sale)
id NOT IN (SELECT itemId FROM sale WHERE itemId IS NOT NULL)
id NOT IN (SELECT itemId FROM sale)
item.name
made
made * 1
made + 1
made + INTERVAL 1 DAY
made - INTERVAL 1 MONTH
made - made
made = '2024-01-31'
made > '2024-01-01'
made >= '2024-01-31' AND made < '2024-02-01'
made BETWEEN '2024-01-01' AND '2024-12-31'
made NOT IN ('2024-01-31') = 1
name = "Apple"
name = 'APPLE'
name = 'APPLE' COLLATE NOCASE
name = 'APPLE' COLLATE utf8mb4_bin
name COLLATE BINARY = 'APPLE'
name COLLATE NOCASE = 'APPLE'
name COLLATE utf8mb4_bin = 'apple'
name GLOB '*[a-c]*'
name GLOB 'A*'
name IN ('Apple', 'banana')
name IS 'Apple'
name LIKE '%!%' ESCAPE '!'
name LIKE '%%%'
name LIKE '%\%%'
name LIKE '%\%%' ESCAPE '\'
name LIKE '%\\%'
name LIKE '%|%%' ESCAPE '|'
name LIKE 'A%'
name LIKE 'a%'
name LIKE 'a%' OR name LIKE 'b%' AND 0
name LIKE 'a' || '%'
name LIKE NULL
name NOT GLOB 'A*'
name NOT LIKE '%e' AND qty > 1
name NOT LIKE 'a%' = 0
name NOT REGEXP '^a'
name REGEXP '^a'
name RLIKE 'a$'
name || '-' || code
name || 'x'
name || code IS NULL
price%1
price/3
qty % 0
qty + CAST('5' AS INTEGER) * 2
qty = 1 IS NULL
qty = TRUE
qty == 10
qty > 2 = 0
qty > 2 XOR parent = 1
qty BETWEEN 1 AND 2 OR 1
qty BETWEEN 1 AND 5
qty BETWEEN 1 AND 5 AND 1
qty BETWEEN 1+1 AND 2*5
qty BETWEEN 5 AND 1
qty DIV 3
qty IN (1) = 0
qty IN (1, 2, 10)
qty IN (NULL)
qty IS 10
qty IS DISTINCT FROM 10
qty IS NOT 10
qty IS NOT DISTINCT FROM 10
qty IS NOT FALSE
qty IS NOT NULL = 1
qty IS TRUE
qty ISNULL
qty LIKE '1%'
qty MOD 3
qty NOT BETWEEN 1 AND 5
qty NOT BETWEEN 1 AND 5 = 0
qty NOT BETWEEN 1 AND 5 LIKE '1'
qty NOT IN (1, 2, 10)
qty NOT IN (1, NULL)
qty NOT NULL
qty NOTNULL
qty%3
qty/2
qty/3*3
sold
sold + 0
sold + INTERVAL 1 HOUR + INTERVAL 5 MINUTE
sold - INTERVAL 1 DAY - INTERVAL 1 HOUR
sold > '2024-01-31'
sold BETWEEN '2024-01-01' AND '2024-01-31'
tags -> '$.c'
tags -> '$.n' ->> '$[0]'
tags -> 'c'
tags -> 'n' -> 0
tags ->> '$.c'
tags ->> '$.c' = 'red'
tags ->> '$.n'
tags ->> '$.n[0]'
tags ->> '$.t' + 1
tags ->> 'c'
tags ->> 0
weight/2
~-5
~5
