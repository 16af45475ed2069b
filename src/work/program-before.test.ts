import { beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/test-database.js'
import type { Database } from '../database/database.js'

/** Nodes of the program before claim beside this one during a rolling upgrade. Its claim names the holder in leased_by. */
const CLAIM_BEFORE = `update scheduled_posts p
    set status = 'PUBLISHING', leased_by = holder, leased_until = $5, next_attempt_at = null,
        version = case when is_change then version + 1 else version end,
        updated_at = case when is_change then $6::timestamptz else updated_at end
   from unnest($1::text[], $2::text[], $3::text[], $4::boolean[])
        as claimed (organization_id, scheduled_post_id, holder, is_change)
  where p.organization_id = claimed.organization_id and p.scheduled_post_id = claimed.scheduled_post_id`

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})

test('the claim of the program before runs on the tables of this one', async () => {
  const now = new Date('2026-11-20T09:00:00Z')
  const { rowCount } = await database.query(CLAIM_BEFORE, [
    ['org_none'],
    ['post_none'],
    ['holder/claim'],
    [true],
    now,
    now,
  ])
  expect(rowCount).toBe(0)
})
