"""Questions to the library of `lending.py`, with the SQL that a careful reader would write for them by hand. Slashes
part the lines of a conversation."""

THERE_IN_OCTOBER = "joined_on <= '2026-10-31' AND (left_on IS NULL OR left_on >= '2026-10-01')"
RENTED = "SELECT locker_id FROM locker_rental WHERE returned_on IS NULL OR returned_on >= '2026-11-22'"
IN_OCTOBER = "BETWEEN '2026-10-01' AND '2026-10-31'"
BUSIEST = """SELECT substr(taken_on, 1, 7), COUNT(*) FROM loan WHERE taken_on >= '2026-01-01'
    GROUP BY 1 ORDER BY 2 DESC LIMIT 1"""
NAMES = "SELECT first_name, last_name FROM member"

CORRECTIONS = {
    "How many loans are out? // No, returned ones": "SELECT COUNT(*) FROM loan WHERE status = 'returned'",
    "How many loans are open? // no, the returned ones": "SELECT COUNT(*) FROM loan WHERE status = 'returned'",
    "How many loans are returned? // nope, cancelled ones": "SELECT COUNT(*) FROM loan WHERE status = 'cancelled'",
    "How many fines are unpaid? // No, paid ones": "SELECT COUNT(*) FROM fine WHERE status = 'paid'",
    "How many fines are open? // No, I meant the paid ones": "SELECT COUNT(*) FROM fine WHERE status = 'paid'",
    "How many fines are paid? // no - the open ones please": "SELECT COUNT(*) FROM fine WHERE status = 'open'",
    "How many fines are paid? // no waived ones": "SELECT COUNT(*) FROM fine WHERE status = 'waived'",
    "How many fines are there? // no waived ones": "SELECT COUNT(*) FROM fine WHERE status <> 'waived'",
    "How many fines are paid? // sorry, the waived ones": "SELECT COUNT(*) FROM fine WHERE status = 'waived'",
}
STATES_OF_THEN = {
    "How many readers are active? // and last month?": (
        f"SELECT COUNT(*) FROM member WHERE kind = 'reader' AND {THERE_IN_OCTOBER}"
    ),
    "How many readers are active? // and last month? // show them by circle": f"""
        SELECT circle.name, COUNT(DISTINCT member.id) FROM member LEFT JOIN member_circle AS stay
        ON stay.member_id = member.id AND stay.joined_on <= '2026-10-31'
        AND (stay.left_on IS NULL OR stay.left_on >= '2026-10-01') LEFT JOIN circle ON circle.id = stay.circle_id
        WHERE kind = 'reader' AND member.{
        THERE_IN_OCTOBER.replace("(left_on", "(member.left_on").replace("OR left_on", "OR member.left_on")
    } GROUP BY circle.id""",
    "How many active students were there last month?": (
        f"SELECT COUNT(*) FROM member WHERE kind = 'student' AND {THERE_IN_OCTOBER}"
    ),
    "How many active members were there? // and at the end of last year?": (
        "SELECT COUNT(*) FROM member WHERE joined_on <= '2025-12-31' AND (left_on IS NULL OR left_on >= '2025-12-31')"
    ),
    "How many readers were in the Chess circle last month?": f"""
        SELECT COUNT(*) FROM member WHERE kind = 'reader' AND {THERE_IN_OCTOBER} AND id IN (SELECT member_id FROM
        member_circle WHERE {THERE_IN_OCTOBER} AND circle_id = (SELECT id FROM circle WHERE name = 'Chess'))""",
    "How many people were there at the end of last month?": (
        "SELECT COUNT(*) FROM member WHERE joined_on <= '2026-10-31' AND (left_on IS NULL OR left_on >= '2026-10-31')"
    ),
    "How many readers are active? // and last month? // and now?": (
        "SELECT COUNT(*) FROM member WHERE kind = 'reader' AND status = 'active'"
    ),
    "How many members are resting? // and last month?": (
        f"SELECT COUNT(*) FROM member WHERE status = 'resting' AND {THERE_IN_OCTOBER}"
    ),
    "How many fines were open last month? // and now?": "SELECT COUNT(*) FROM fine WHERE status = 'open'",
}
DEEDS = {
    "How many loans were created but not returned last month?": (
        "SELECT COUNT(*) FROM loan WHERE created_at > '2026-10' AND created_at < '2026-11' AND returned_on IS NULL"
    ),
    "How many fines were issued but not paid last month?": (
        f"SELECT COUNT(*) FROM fine WHERE issued_on {IN_OCTOBER} AND paid_on IS NULL"
    ),
    "How many loans were not returned last month?": (
        f"SELECT COUNT(*) FROM loan WHERE taken_on {IN_OCTOBER} AND returned_on IS NULL"
    ),
    "Which members have not returned any loan last month?": (
        f"{NAMES} WHERE id NOT IN (SELECT member_id FROM loan WHERE returned_on {IN_OCTOBER})"
    ),
    "Which members have returned no book last month?": (
        f"{NAMES} WHERE id NOT IN (SELECT member_id FROM loan WHERE returned_on {IN_OCTOBER})"
    ),
    "Which members returned a loan last month?": (
        f"{NAMES} WHERE id IN (SELECT member_id FROM loan WHERE returned_on {IN_OCTOBER})"
    ),
    "Which members took a loan last month?": (
        f"{NAMES} WHERE id IN (SELECT member_id FROM loan WHERE taken_on {IN_OCTOBER})"
    ),
    "Which members have never paid a fine?": (
        f"{NAMES} WHERE id NOT IN (SELECT member_id FROM loan JOIN fine ON loan_id = loan.id WHERE paid_on IS NOT NULL)"
    ),
    "Which lockers are assigned to nobody?": f"SELECT number FROM locker WHERE id NOT IN ({RENTED})",
    "How many lockers are rented out?": f"SELECT COUNT(*) FROM locker WHERE id IN ({RENTED})",
    "How many members joined and left this year?": (
        "SELECT COUNT(*) FROM member WHERE joined_on >= '2026-01-01' AND left_on >= '2026-01-01'"
    ),
    "How many lockers are taken?": f"SELECT COUNT(*) FROM locker WHERE id IN ({RENTED})",
    "Which members have no locker?": f"{NAMES} WHERE id NOT IN ({RENTED.replace('locker_id', 'member_id')})",
    "Which members have never had a locker?": f"{NAMES} WHERE id NOT IN (SELECT member_id FROM locker_rental)",
    "How many lockers are unassigned?": f"SELECT COUNT(*) FROM locker WHERE id NOT IN ({RENTED})",
}
AVERAGES = {
    "What is the average number of weekly minutes?": "SELECT AVG(weekly_minutes) FROM member",
    "What is the average number of days per loan?": "SELECT AVG(days) FROM loan",
    "How many days does a loan take on average?": "SELECT AVG(days) FROM loan",
    "average number of days of a loan by town": """
        SELECT town, AVG(days) FROM loan JOIN member ON member.id = member_id GROUP BY town""",
    "How many loan days were there in October?": f"SELECT SUM(days) FROM loan WHERE taken_on {IN_OCTOBER}",
    "average number of loan days per town": """
        SELECT AVG(total) FROM
        (SELECT SUM(days) AS total FROM loan JOIN member ON member.id = member_id GROUP BY town)""",
    "average number of minutes per helper": "SELECT AVG(weekly_minutes) FROM member WHERE kind = 'helper'",
    "list the books // total": "SELECT COUNT(*) FROM book",
    "list the members // total": "SELECT COUNT(*) FROM member",
    "list the fines // total": "SELECT SUM(amount) FROM fine",
}
TIMES = {
    "When was the last evening?": (
        "SELECT title, held_on FROM evening WHERE held_on <= '2026-11-22' ORDER BY held_on DESC LIMIT 1"
    ),
    "When is the next evening?": (
        "SELECT title, held_on FROM evening WHERE held_on >= '2026-11-22' ORDER BY held_on LIMIT 1"
    ),
    "When was the last time a fine was paid?": (
        "SELECT paid_on, amount FROM fine WHERE paid_on <= '2026-11-22' ORDER BY paid_on DESC, id LIMIT 1"
    ),
    "When did we last hold an evening?": (
        "SELECT title, held_on FROM evening WHERE held_on <= '2026-11-22' ORDER BY held_on DESC LIMIT 1"
    ),
    "the last 3 evenings": (
        "SELECT title, held_on FROM evening WHERE held_on <= '2026-11-22' ORDER BY held_on DESC LIMIT 3"
    ),
    "next 4 evenings": ("SELECT title, held_on FROM evening WHERE held_on >= '2026-11-22' ORDER BY held_on LIMIT 4"),
    "our next 2 evenings": (
        "SELECT title, held_on FROM evening WHERE held_on >= '2026-11-22' ORDER BY held_on LIMIT 2"
    ),
    "Which month had the most loans this year?": BUSIEST,
    "What was our best month for loans this year?": BUSIEST,
    "In which month were the most loans returned?": BUSIEST.replace("taken", "returned").replace("2026", "1900"),
    "Which quarter had the highest total amount of fines?": (
        "SELECT '2026-Q4', SUM(amount) FROM fine WHERE issued_on > '2026-10'"
    ),
    "How many loans were there this year? // which month had the most?": BUSIEST,
    "How many members joined from 2 January 2026?": "SELECT COUNT(*) FROM member WHERE joined_on >= '2026-01-02'",
    "How many fines were issued between 1 June 2026 and 31 October 2026, issued from 2 October 2026?": (
        "SELECT COUNT(*) FROM fine WHERE issued_on BETWEEN '2026-10-02' AND '2026-10-31'"
    ),
    "How many members live in Ashby? // and Ashby and Brill together": (
        "SELECT COUNT(*) FROM member WHERE town IN ('Ashby', 'Brill')"
    ),
}
BY_HAND = CORRECTIONS | STATES_OF_THEN | DEEDS | AVERAGES | TIMES
