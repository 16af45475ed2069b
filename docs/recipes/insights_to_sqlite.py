"""Yesterday's insights of every campaign into SQLite: python3 insights_to_sqlite.py AD_ACCOUNT_ID FILE [DAYS]

Run it as often as you like: existing days are updated. DAYS (1 by default) reaches further back.
"""

import json
import sqlite3
import sys
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from signed_call import call

TABLE = """
create table if not exists daily_insights (
  ad_account_id text not null,
  campaign_id text not null,
  date text not null,
  campaign_name text,
  spend numeric,
  delivered numeric,
  read_rate numeric,
  link_clicks numeric,
  link_click_rate numeric,
  cost_per_delivered numeric,
  cost_per_link_click numeric,
  day_row text not null,
  primary key (ad_account_id, campaign_id, date)
)"""

UPSERT = """
insert into daily_insights values (
  :ad_account_id, :campaign_id, :date_start, :campaign_name,
  :marketing_messages_spend, :marketing_messages_delivered, :marketing_messages_read_rate,
  :marketing_messages_link_btn_click, :marketing_messages_link_btn_click_rate,
  :marketing_messages_cost_per_delivered, :marketing_messages_cost_per_link_btn_click, :day_row)
on conflict (ad_account_id, campaign_id, date) do update set
  campaign_name = excluded.campaign_name, spend = excluded.spend, delivered = excluded.delivered,
  read_rate = excluded.read_rate, link_clicks = excluded.link_clicks, link_click_rate = excluded.link_click_rate,
  cost_per_delivered = excluded.cost_per_delivered, cost_per_link_click = excluded.cost_per_link_click,
  day_row = excluded.day_row
where daily_insights.day_row <> excluded.day_row"""

METRICS = [name[1:] for name in UPSERT.replace(",", " ").split() if name.startswith(":marketing_messages_")]


def window(ad_account_id, days):
    """First and last day, where the ad account is: its yesterday is not everyone's."""
    account = next((a for a in call("GET", "/ad-accounts") if a["id"] == ad_account_id), None)
    if account is None:
        raise SystemExit(f"There is no ad account {ad_account_id}.")
    today = datetime.now(ZoneInfo(account["timezone"])).date()
    return today - timedelta(days=days), today - timedelta(days=1)


def day_rows(ad_account_id, first, last):
    query = {"startDate": first.isoformat(), "endDate": last.isoformat()}
    while True:
        page = call("GET", f"/ad-accounts/{quote(ad_account_id, safe='')}/campaigns/daily-insights?{urlencode(query)}")
        for campaign in page["items"]:
            yield from campaign["days"]
        # An empty page is not necessarily the last one.
        if not page["mayHaveMore"]:
            return
        query["after"] = page["nextCursor"]


def main(ad_account_id, file, days="1"):
    first, last = window(ad_account_id, int(days))
    rows = [
        # Missing metrics are null. The whole row is kept too, so that no other metric is lost.
        {**dict.fromkeys(METRICS), **row, "ad_account_id": ad_account_id, "day_row": json.dumps(row, sort_keys=True)}
        for row in day_rows(ad_account_id, first, last)
    ]
    database = sqlite3.connect(file)
    # Everything, or nothing if anything fails.
    with database:
        database.execute(TABLE)
        before = database.total_changes
        database.executemany(UPSERT, rows)
    print(f"{first} to {last}: {len(rows)} rows, {database.total_changes - before} of them new or changed")
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
