"""A harbour that nobody wrote the rules for: keys of two columns, persons who point at each other, names that stand in
tables of their own. The question, the SQL by hand, and whether the order counts."""

SCRIPT = """
CREATE TABLE firm (id INTEGER PRIMARY KEY, name TEXT, phone TEXT, city TEXT);
CREATE TABLE captain (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT,
  mentor_id INTEGER REFERENCES captain (id));
CREATE TABLE ship (id INTEGER PRIMARY KEY, name TEXT, firm_id INTEGER REFERENCES firm (id),
  captain_id INTEGER REFERENCES captain (id), tonnage INTEGER);
CREATE TABLE berth (quay TEXT, number INTEGER, depth INTEGER, PRIMARY KEY (quay, number));
CREATE TABLE mooring (id INTEGER PRIMARY KEY, ship_id INTEGER REFERENCES ship (id), quay TEXT, number INTEGER,
  moored_on DATE, charge NUMERIC, status TEXT, FOREIGN KEY (quay, number) REFERENCES berth (quay, number));
CREATE TABLE gang (id INTEGER PRIMARY KEY, name TEXT, lead_id INTEGER REFERENCES docker (id));
CREATE TABLE docker (id INTEGER PRIMARY KEY, name TEXT, boss_id INTEGER REFERENCES docker (id),
  gang_id INTEGER REFERENCES gang (id));
CREATE TABLE damage (id INTEGER PRIMARY KEY, title TEXT, mooring_id INTEGER REFERENCES mooring (id),
  docker_id INTEGER REFERENCES docker (id), reported_on DATE);
CREATE TABLE "Straße" (id INTEGER PRIMARY KEY, "Größe" INTEGER);
INSERT INTO firm VALUES (1, 'Bright Lines', '1', 'Leeds'), (2, 'Elm Freight', '2', 'York'),
  (3, 'Bolt Cargo Ltd', '3', 'York'), (4, 'Amber Ltd Group', '4', 'Hull');
INSERT INTO captain VALUES (1, 'Ada', 'Byron', 'a', NULL), (2, 'Max', 'Frisch', 'm', 1), (3, 'Ilse', 'Baker', 'i', 1),
  (4, 'Vic', 'Webb', 'v', NULL);
INSERT INTO ship VALUES (1, 'Heron', 1, 1, 900), (2, 'Curlew', 2, 2, 400), (3, 'Plover', 2, 3, 700),
  (4, 'Bream', 3, 2, 50);
INSERT INTO berth VALUES ('East', 1, 9), ('East', 2, 7), ('West', 1, 5), ('West', 2, 5);
INSERT INTO mooring SELECT value, 1 + value % 4, CASE value % 3 WHEN 0 THEN 'West' ELSE 'East' END, 1 + value % 2,
  DATE('2026-10-01', '+' || (value * value / 10) || ' days'), 100 + value * 7 % 50,
  CASE WHEN value % 4 < 2 THEN 'open' ELSE 'paid' END
  FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]');
INSERT INTO gang VALUES (1, 'North', 1), (2, 'South', 2);
INSERT INTO docker VALUES (1, 'Lena Wolf', NULL, 1), (2, 'Otto Falk', 1, 2), (3, 'Ruth Amsel', 1, 2),
  (4, 'Jan Meise', 2, 2), (5, 'Kim Specht', NULL, NULL);
INSERT INTO damage SELECT value, CASE value % 2 WHEN 0 THEN 'bent rail' ELSE 'lost rope' END, value, 3 + value % 2,
  DATE('2026-10-02', '+' || (value * 2) || ' days') FROM json_each('[1,2,3,4,5,6,7,8,9,10]');
INSERT INTO "Straße" VALUES (1, 10), (2, 20);
"""

_MOORED = "FROM mooring m JOIN ship s ON s.id = m.ship_id JOIN firm f ON f.id = s.firm_id"
_BERTHS = "SELECT quay, number, COUNT(*) FROM mooring GROUP BY 1, 2"

LETTERS_AND_ORDER = {
    "firms whose name starts with B": "SELECT name FROM firm WHERE name LIKE 'B%'",
    "How many firms have a name ending with Ltd?": "SELECT COUNT(*) FROM firm WHERE name LIKE '%Ltd'",
    "captains whose last name begins with F or B": "SELECT last_name FROM captain WHERE id IN (1, 2, 3)",
    "list captains with a first name that starts with the letter I": "SELECT 'Ilse'",
    'damages with a title ending in "rope"': "SELECT title, reported_on FROM damage WHERE title LIKE '%rope'",
    "captains // whose last name starts with B": "SELECT last_name FROM captain WHERE last_name LIKE 'B%'",
    "moorings in descending order of charge": "SELECT charge FROM mooring ORDER BY charge DESC",
}
IN_ORDER = {
    "list captains in alphabetical order": "SELECT last_name FROM captain ORDER BY 1",
    "List the firms // reverse the order": "SELECT name FROM firm ORDER BY id DESC",
    "ships sorted by tonnage // the other way round": "SELECT tonnage FROM ship ORDER BY 1 DESC",
    "moorings by status // sorted by status // descending": (
        "SELECT COUNT(*), status FROM mooring GROUP BY 2 ORDER BY 2 DESC"
    ),
    "ships sorted by tonnage // the other way round // top 2": "SELECT tonnage FROM ship ORDER BY 1 DESC LIMIT 2",
    "moorings by ship // in alphabetical order": (
        "SELECT COUNT(*), s.name FROM mooring m JOIN ship s ON s.id = m.ship_id GROUP BY 2 ORDER BY 2"
    ),
}
NAMES = {
    "ships of Elm Freight": "SELECT name FROM ship WHERE firm_id = 2",
    "Show the moorings of Bright Lines": f"SELECT m.moored_on {_MOORED} WHERE f.id = 1",
    "How many moorings does Elm Freight have?": f"SELECT COUNT(*) {_MOORED} WHERE f.id = 2",
    "How many ships does Max Frisch have?": "SELECT COUNT(*) FROM ship WHERE captain_id = 2",
    "damages of Ruth Amsel": "SELECT reported_on FROM damage WHERE docker_id = 3",
    "How many damages did Jan Meise report?": "SELECT COUNT(*) FROM damage WHERE docker_id = 4",
    "total charge of moorings of Bolt Cargo Ltd": f"SELECT SUM(charge) {_MOORED} WHERE f.id = 3",
    "How many ships has Elm Freight got? // and Bright Lines?": "SELECT COUNT(*) FROM ship WHERE firm_id = 1",
    "Which gang is Ruth Amsel in?": "SELECT 'South'",
    "Ilse's ships": "SELECT 'Plover'",
    "phone of Elm Freight": "SELECT phone FROM firm WHERE id = 2",
    "What is Ilse Baker's email?": "SELECT email FROM captain WHERE id = 3",
    "In which city does Bright Lines sit?": "SELECT city FROM firm WHERE id = 1",
    "Max Frisch's ships": "SELECT name FROM ship WHERE captain_id = 2",
}
ROLES = {
    "Which dockers have no boss?": "SELECT name FROM docker WHERE boss_id IS NULL",
    "Which dockers are without a supervisor?": "SELECT name FROM docker WHERE boss_id IS NULL",
    "Who is Jan Meise's boss?": "SELECT 'Jan Meise', 'Otto Falk'",
    "Who is the mentor of Max Frisch?": "SELECT 'Ada', 'Byron', 'Max', 'Frisch'",
    "List the captains // who is their mentor?": (
        "SELECT c.last_name, m.last_name FROM captain c LEFT JOIN captain m ON m.id = c.mentor_id"
    ),
    "How many dockers work under Lena Wolf?": "SELECT 2",
    "How many dockers does Otto Falk lead?": "SELECT 1",
    "dockers who have a boss": "SELECT name FROM docker WHERE boss_id IS NOT NULL",
    "How many dockers by boss?": (
        "SELECT b.name, COUNT(*) FROM docker d LEFT JOIN docker b ON b.id = d.boss_id GROUP BY b.id"
    ),
    "Which boss has the most dockers?": "SELECT 'Lena Wolf', 2",
}
KEYS = {
    "How many moorings per berth?": _BERTHS,
    "Which berth has the most moorings?": f"{_BERTHS} ORDER BY 3 DESC LIMIT 1",
    "total charge of moorings by berth": "SELECT quay, number, SUM(charge) FROM mooring GROUP BY 1, 2",
    "How many moorings are there? // by berth // sorted by berth": _BERTHS,
}
LATER = {
    "open moorings // who are those firms?": f"SELECT DISTINCT f.name {_MOORED} WHERE m.status = 'open'",
    "firms in York // show their ships": "SELECT name FROM ship WHERE firm_id IN (2, 3)",
    "moorings in November // which ships are those? // how many are there?": (
        "SELECT COUNT(DISTINCT ship_id) FROM mooring WHERE moored_on BETWEEN '2026-11-01' AND '2026-11-30'"
    ),
    "ships of Elm Freight // which of them have open moorings?": (
        "SELECT name FROM ship WHERE firm_id = 2 AND id IN (SELECT ship_id FROM mooring WHERE status = 'open')"
    ),
    "Total charge of moorings // Show me the 3 largest": "SELECT charge FROM mooring ORDER BY 1 DESC LIMIT 3",
    "average charge of moorings // highest": "SELECT MAX(charge) FROM mooring",
    "average charge of open moorings // and the lowest?": "SELECT MIN(charge) FROM mooring WHERE status = 'open'",
    "moorings by ship and status // sorted by status": (
        "SELECT s.name, m.status, COUNT(*) FROM mooring m JOIN ship s ON s.id = m.ship_id GROUP BY 1, 2"
    ),
}
QUESTIONS = {**LETTERS_AND_ORDER, **NAMES, **ROLES, **KEYS, **LATER}
