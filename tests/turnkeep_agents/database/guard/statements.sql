(SELECT 1 UNION ALL SELECT 1) UNION ALL SELECT 1
(SELECT 1 UNION ALL SELECT 2) INTERSECT SELECT 2
(SELECT id FROM item LIMIT 2) UNION (SELECT id FROM sale LIMIT 3) ORDER BY id
(SELECT id FROM item ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM sale ORDER BY id DESC LIMIT 1)
SELECT (1, 2) = (1, 2)
SELECT (SELECT 1), (SELECT NULL)
SELECT * FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY parent ORDER BY qty DESC, id) AS rn FROM item) t WHERE rn = 1 ORDER BY id
SELECT * FROM (SELECT id, qty FROM item ORDER BY qty DESC, id LIMIT 3) t ORDER BY id
SELECT * FROM item LEFT JOIN sale USING (id) ORDER BY item.id
SELECT -qty AS qty FROM item ORDER BY qty, id
SELECT -qty AS qty, id FROM item ORDER BY qty + 0, id
SELECT /* x */ name FROM item WHERE id = 1
SELECT 1 AS a EXCEPT SELECT 1 UNION ALL SELECT 3 ORDER BY a
SELECT 1 AS a EXCEPT SELECT 2 EXCEPT SELECT 1
SELECT 1 AS a UNION ALL SELECT 1 EXCEPT SELECT 2 ORDER BY a
SELECT 1 AS a UNION ALL SELECT 1 INTERSECT SELECT 2 UNION ALL SELECT 1
SELECT 1 AS a UNION ALL SELECT 1 UNION SELECT 2 ORDER BY a
SELECT 1 AS a UNION SELECT 2 INTERSECT SELECT 3 ORDER BY a
SELECT 1 AS a UNION SELECT 2 UNION ALL SELECT 2 ORDER BY a
SELECT 1 EXCEPT (SELECT 1 EXCEPT SELECT 1)
SELECT 1 EXCEPT (SELECT 2 EXCEPT SELECT 2)
SELECT 1 FROM DUAL
SELECT 1 UNION (SELECT 2 UNION ALL SELECT 2)
SELECT 1 UNION ALL (SELECT 2 INTERSECT SELECT 3)
SELECT 1 WHERE 1 = 2
SELECT 3 AS a UNION ALL SELECT 2 INTERSECT SELECT 3 ORDER BY a
SELECT ALL qty FROM item ORDER BY id
SELECT ANY_VALUE(qty) FROM item WHERE id = 1
SELECT AVG(CAST(code AS INTEGER)) FROM item
SELECT AVG(DISTINCT qty) FROM item
SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM sale GROUP BY itemId) t
SELECT AVG(qty) FROM item WHERE parent IN (1, 2)
SELECT BIT_OR(qty), BIT_AND(qty) FROM item
SELECT CAST(COUNT(CASE WHEN qty > 2 THEN 1 END) AS FLOAT) * 100 / COUNT(*) FROM item
SELECT CAST(SUM(CASE WHEN qty > 2 THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*) FROM item
SELECT CAST(SUM(IIF(qty > 2, 1, 0)) AS FLOAT) / COUNT(*) FROM item
SELECT COUNT() FROM item
SELECT COUNT(*) AS 'all of them' FROM item
SELECT COUNT(*) FILTER (WHERE qty > 2) FROM item
SELECT COUNT(*) FROM item
SELECT COUNT(*) FROM item HAVING COUNT(*) > 100
SELECT COUNT(*) FROM item WHERE ROUND(weight) = weight
SELECT COUNT(*) FROM item WHERE qty > 1 HAVING COUNT(*) > 1
SELECT COUNT(*) c FROM item WHERE made IS NOT NULL AND made <> ''
SELECT COUNT(ALL qty) FROM item
SELECT COUNT(DISTINCT qty) FROM item
SELECT COUNT(DISTINCT qty, parent) FROM item
SELECT COUNT(DISTINCT(qty)) FROM item
SELECT COUNT(qty > 2 OR NULL) FROM item
SELECT COUNT(qty) FROM item
SELECT DATE_FORMAT(made, '%M %Y') AS m, COUNT(*) FROM item GROUP BY DATE_FORMAT(made, '%M %Y') ORDER BY MIN(made)
SELECT DATE_FORMAT(made, '%Y-%m') AS m, COUNT(*) FROM item GROUP BY m ORDER BY m
SELECT DISTINCT qty FROM item ORDER BY qty
SELECT DISTINCT qty, parent FROM item ORDER BY 1, 2
SELECT DISTINCT(qty), parent FROM item ORDER BY 1, 2
SELECT EXISTS(SELECT 1 FROM item WHERE qty > 100)
SELECT GROUP_CONCAT(DISTINCT name ORDER BY name SEPARATOR '|') FROM item
SELECT GROUP_CONCAT(DISTINCT qty ORDER BY qty) FROM item
SELECT GROUP_CONCAT(DISTINCT qty) FROM item
SELECT GROUP_CONCAT(name ORDER BY name DESC SEPARATOR '; ') FROM item
SELECT GROUP_CONCAT(name ORDER BY name DESC, id) FROM item
SELECT GROUP_CONCAT(name SEPARATOR '') FROM item
SELECT GROUP_CONCAT(name SEPARATOR '; ') FROM item
SELECT GROUP_CONCAT(name || code) FROM item
SELECT GROUP_CONCAT(name) FROM item
SELECT GROUP_CONCAT(name, '') FROM item
SELECT GROUP_CONCAT(name, ', ' ORDER BY name) FROM item
SELECT GROUP_CONCAT(name, ':', code ORDER BY id SEPARATOR ', ') FROM item
SELECT GROUP_CONCAT(name, ':', code SEPARATOR ', ') FROM item
SELECT GROUP_CONCAT(name, '; ') FROM item
SELECT GROUP_CONCAT(name, code) FROM item
SELECT I.ID FROM item i ORDER BY i.Id
SELECT JSON_ARRAYAGG(id) FROM item
SELECT JSON_GROUP_ARRAY(id) FROM item
SELECT MAX(name), MIN(name) FROM item
SELECT MAX(qty) - MIN(qty) FROM item
SELECT MEDIAN(qty) FROM item
SELECT MEDIAN(qty) OVER () FROM item
SELECT NOT EXISTS(SELECT 1 FROM item WHERE qty > 100)
SELECT ROUND(100.0 * SUM(qty > 2) / COUNT(*), 2) FROM item
SELECT ROUND(AVG(price), 2) FROM item
SELECT ROUND(SUM(price) / COUNT(price), 3) FROM item
SELECT STD(qty) FROM item
SELECT STDDEV(qty), STDDEV_SAMP(qty), STDDEV_POP(qty), VARIANCE(qty), VAR_SAMP(qty), VAR_POP(qty) FROM item
SELECT STRFTIME('%Y', made) AS y, COUNT(*) FROM item GROUP BY y ORDER BY y
SELECT STRFTIME('%Y-%m', made) m, COUNT(*) FROM item WHERE STRFTIME('%Y', made) = '2024' GROUP BY m ORDER BY m
SELECT STRING_AGG(name, ',') FROM item
SELECT SUBSTR(made, 1, 4) AS y, SUM(qty) FROM item GROUP BY y ORDER BY y
SELECT SUM(CASE WHEN qty > 2 THEN 1 ELSE 0 END) * 100.0 / COUNT(*) FROM item
SELECT SUM(DISTINCT qty) FROM item
SELECT SUM(IF(qty > 2, 1, 0)) / COUNT(*) FROM item
SELECT SUM(code) FROM item
SELECT SUM(name LIKE 'a%') FROM item
SELECT SUM(price * qty) AS total FROM item
SELECT SUM(qty = 10) FROM item
SELECT SUM(qty > 2) FROM item
SELECT SUM(qty) / 0 FROM item
SELECT SUM(qty) / COUNT(*) FROM item
SELECT SUM(qty) FROM item WHERE 1 = 0
SELECT SUM(qty), AVG(qty), MIN(qty), MAX(qty) FROM item
SELECT TOP 2 id FROM item ORDER BY id
SELECT TOTAL(qty) FROM item
SELECT YEAR(made) AS y, COUNT(*) FROM item GROUP BY y ORDER BY y
SELECT i.* FROM item AS i ORDER BY id
SELECT i.id, j.id, s.id FROM item i LEFT JOIN (item j JOIN sale s ON s.itemId = j.id) ON j.id = i.parent ORDER BY 1, 2, 3
SELECT i.id, j.id, s.id FROM item i LEFT JOIN item j JOIN sale s ON s.itemId = j.id ON j.id = i.parent ORDER BY 1, 2, 3
SELECT i.id, s.id FROM item i, sale s WHERE i.id = s.itemId AND s.note NOT IN ('x') IS NOT NULL ORDER BY s.id
SELECT i.name, s."how many" FROM item i JOIN sale s ON s.itemId = i.id ORDER BY s.id
SELECT i.name, s.[how many] FROM item i JOIN sale s ON s.itemId = i.id ORDER BY s.id
SELECT i.name, s.`how many` FROM item i JOIN sale s ON s.itemId = i.id ORDER BY s.id
SELECT i.name, s.id FROM item i CROSS JOIN sale s WHERE s.itemId = i.id ORDER BY s.id
SELECT i.name, s.id FROM item i FULL OUTER JOIN sale s ON s.itemId = i.id ORDER BY i.id, s.id
SELECT i.name, s.id FROM item i INNER JOIN sale s WHERE s.itemId = i.id ORDER BY s.id
SELECT i.name, s.id FROM item i JOIN sale s ON s.itemId = i.id, item j WHERE j.id = i.parent ORDER BY s.id
SELECT i.name, s.id FROM item i LEFT JOIN sale s ON s.itemId = i.id ORDER BY i.id, s.id
SELECT i.name, s.id FROM item i LEFT OUTER JOIN sale s ON s.itemId = i.id AND s.note = 'first' ORDER BY i.id, s.id
SELECT i.name, s.id FROM item i RIGHT JOIN sale s ON s.itemId = i.id ORDER BY i.id, s.id
SELECT i.name, s.id FROM item i, item j RIGHT JOIN sale s ON s.itemId = j.id WHERE i.id = 1 ORDER BY s.id
SELECT i.name, s.id FROM item i, sale s WHERE s.itemId = i.id ORDER BY s.id
SELECT i.name, s.id, j.id FROM item i JOIN item j ON j.id = i.parent RIGHT JOIN sale s ON s.itemId = i.id ORDER BY s.id
SELECT i.name, s.id, j.id FROM item i, (item j LEFT JOIN sale s ON s.itemId = j.id) WHERE j.id = i.parent ORDER BY i.id, s.id
SELECT i.name, s.id, j.id FROM item i, item j LEFT JOIN sale s ON s.itemId = j.id WHERE j.id = i.parent ORDER BY i.id, s.id
SELECT id AS 'x y' FROM item ORDER BY 'x y', id
SELECT id AS a, a + 1 FROM item
SELECT id AS n, COUNT(*) AS id FROM item GROUP BY n HAVING id = 1 ORDER BY n
SELECT id FROM "item" ORDER BY id
SELECT id FROM 'item' ORDER BY id
SELECT id FROM ITEM ORDER BY ID
SELECT id FROM [item] ORDER BY id
SELECT id FROM item AS i WHERE i.qty > 1 AND EXISTS (SELECT 1 FROM sale WHERE itemId = i.id) ORDER BY id
SELECT id FROM item EXCEPT SELECT itemId FROM sale ORDER BY id
SELECT id FROM item GROUP BY id HAVING MAX(qty) > 3 ORDER BY id
SELECT id FROM item INTERSECT SELECT itemId FROM sale ORDER BY id
SELECT id FROM item JOIN sale USING (id) ORDER BY id
SELECT id FROM item LIMIT ALL
SELECT id FROM item ORDER BY 'id', id
SELECT id FROM item ORDER BY -qty, id
SELECT id FROM item ORDER BY CASE WHEN qty > 2 THEN 0 ELSE 1 END, id
SELECT id FROM item ORDER BY id FETCH FIRST 2 ROWS ONLY
SELECT id FROM item ORDER BY id LIMIT 0
SELECT id FROM item ORDER BY id LIMIT 1, 0
SELECT id FROM item ORDER BY id LIMIT 1, 2
SELECT id FROM item ORDER BY id LIMIT 2
SELECT id FROM item ORDER BY id LIMIT 2 OFFSET 1
SELECT id FROM item ORDER BY name = 'apple' DESC, id
SELECT id FROM item ORDER BY name COLLATE NOCASE DESC, id
SELECT id FROM item ORDER BY name COLLATE NOCASE, id
SELECT id FROM item ORDER BY name COLLATE utf8mb4_bin, id
SELECT id FROM item ORDER BY qty ASC, id
SELECT id FROM item ORDER BY qty DESC NULLS FIRST, id
SELECT id FROM item ORDER BY qty DESC NULLS LAST, id
SELECT id FROM item ORDER BY qty DESC, id
SELECT id FROM item ORDER BY qty IS NULL, qty, id
SELECT id FROM item ORDER BY qty NULLS FIRST, id
SELECT id FROM item ORDER BY qty NULLS LAST, id
SELECT id FROM item QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1
SELECT id FROM item STRAIGHT_JOIN sale ON 1 = 1
SELECT id FROM item UNION ALL SELECT id FROM sale ORDER BY 1 LIMIT 3
SELECT id FROM item UNION ALL SELECT id FROM sale ORDER BY id
SELECT id FROM item UNION SELECT id FROM sale ORDER BY id
SELECT id FROM item WHERE (qty > 2 OR parent = 1) AND price < 1 ORDER BY id
SELECT id FROM item WHERE (qty, parent) IN (SELECT qty, parent FROM item WHERE id = 6) ORDER BY id
SELECT id FROM item WHERE NOT (qty > 2 AND parent = 1) ORDER BY id
SELECT id FROM item WHERE NOT qty > 2 AND parent = 1 ORDER BY id
SELECT id FROM item WHERE NOT qty ORDER BY id
SELECT id FROM item WHERE id BETWEEN 2 AND 4 AND qty IS NOT NULL ORDER BY id
SELECT id FROM item WHERE made > '2024' ORDER BY id
SELECT id FROM item WHERE made LIKE '2024-01%' ORDER BY id
SELECT id FROM item WHERE name = "Apple"
SELECT id FROM item WHERE name = "O'Neil"
SELECT id FROM item WHERE name = 'back\\slash'
SELECT id FROM item WHERE name = 'back\slash'
SELECT id FROM item WHERE name LIKE '%\\%'
SELECT id FROM item WHERE name LIKE '%\\\\%'
SELECT id FROM item WHERE name LIKE '%e%' AND NOT name LIKE 'a%' ORDER BY id
SELECT id FROM item WHERE name ORDER BY id
SELECT id FROM item WHERE price > 1e1-1e1 ORDER BY id
SELECT id FROM item WHERE price > 1e2
SELECT id FROM item WHERE qty = (SELECT MAX(qty) FROM item) ORDER BY id
SELECT id FROM item WHERE qty = 10 = 1 ORDER BY id
SELECT id FROM item WHERE qty = ANY (SELECT `how many` FROM sale) ORDER BY id
SELECT id FROM item WHERE qty > 2 OR parent = 1 AND price < 1 ORDER BY id
SELECT id FROM item WHERE qty > ALL (SELECT `how many` FROM sale WHERE id < 3) ORDER BY id
SELECT id FROM item WHERE qty >= (SELECT AVG(qty) FROM item i2 WHERE i2.parent = item.parent) ORDER BY id
SELECT id FROM item WHERE qty ORDER BY id
SELECT id FROM item WHERE sold LIKE '%-01-%' ORDER BY id
SELECT id IN (1,2) AS x, id NOT IN (1,2) AND 1 FROM item ORDER BY id
SELECT id, RANK() OVER (ORDER BY qty DESC NULLS FIRST, id) AS r FROM item ORDER BY id
SELECT id, RANK() OVER (ORDER BY qty DESC NULLS LAST, id) AS r FROM item ORDER BY id
SELECT id, RANK() OVER (ORDER BY qty NULLS LAST) AS r FROM item ORDER BY id
SELECT id, RANK() OVER (w ORDER BY qty) AS r FROM item WINDOW w AS (PARTITION BY parent) ORDER BY id
SELECT id, RANK() OVER w AS r FROM item WINDOW w AS (ORDER BY qty) ORDER BY id
SELECT id, SUM(SUM(qty)) OVER (ORDER BY id) AS r FROM item GROUP BY id ORDER BY id
SELECT id, qty FROM item ORDER BY 2 DESC, 1
SELECT id, qty FROM item ORDER BY 2, 1 DESC
SELECT item.id, sale.note FROM item LEFT JOIN sale USING (id) ORDER BY item.id
SELECT name "n a" FROM item ORDER BY id
SELECT name 'n a' FROM item ORDER BY id
SELECT name AS "Total (%)" FROM item ORDER BY "Total (%)", id
SELECT name AS "a""b" FROM item ORDER BY id
SELECT name AS "order" FROM item ORDER BY "order", id
SELECT name AS "the name" FROM item ORDER BY "the name", id
SELECT name AS 'the name' FROM item ORDER BY id
SELECT name AS Name, NAME AS other FROM item ORDER BY Name, id
SELECT name AS `a``b` FROM item ORDER BY id
SELECT name AS `order` FROM item ORDER BY `order`, id
SELECT name AS `the name` FROM item ORDER BY `the name`, id
SELECT name FROM item WHERE id = 1 LIMIT 1 -- comment
SELECT parent % 2 AS p, COUNT(*) FROM item GROUP BY parent % 2 ORDER BY 1
SELECT parent AS p, COUNT(*) FROM item GROUP BY p ORDER BY p
SELECT parent, COUNT(*) AS n FROM item GROUP BY parent HAVING n > 1 ORDER BY n DESC, parent
SELECT parent, COUNT(*) FROM item GROUP BY parent ORDER BY parent
SELECT parent, COUNT(*) FROM item GROUP BY parent WITH ROLLUP
SELECT parent, COUNT(*) n FROM item GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY 2 DESC, 1
SELECT parent, COUNT(*) n FROM item GROUP BY parent HAVING NOT COUNT(*) > 1 ORDER BY parent
SELECT parent, COUNT(*) n FROM item GROUP BY parent HAVING SUM(qty) > 3 ORDER BY parent
SELECT parent, GROUP_CONCAT(name) FROM item GROUP BY parent ORDER BY parent
SELECT parent, MAX(qty), name FROM item GROUP BY parent ORDER BY parent
SELECT parent, qty, COUNT(*) FROM item GROUP BY parent, qty ORDER BY 1, 2
SELECT qty + 1 AS qty FROM item GROUP BY qty ORDER BY qty
SELECT qty AS name, COUNT(*) FROM item GROUP BY name ORDER BY 2, 1
SELECT qty AS q FROM item ORDER BY q, id
SELECT t.n FROM (SELECT COUNT(*) n, parent FROM item GROUP BY parent) t WHERE t.n NOT BETWEEN 2 AND 9 ORDER BY t.n
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT x, y FROM a, b
WITH crew AS (SELECT id, `how many` AS n FROM sale) SELECT c.n FROM crew c JOIN item i ON i.id = c.id ORDER BY c.id
WITH item AS (SELECT 99 AS id) SELECT id FROM item
WITH t AS (SELECT parent, COUNT(*) AS n FROM item GROUP BY parent) SELECT parent, n FROM t WHERE n > 1 ORDER BY parent
WITH t(a, b) AS (SELECT id, qty FROM item) SELECT b FROM t WHERE a < 3 ORDER BY a
