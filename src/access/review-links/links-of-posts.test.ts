import { afterAll, expect, test } from 'vitest'
import { createEmptyDatabase, openTestPostgres, TEST_DATABASE_URL } from '../../../test/test-database.js'
import { knownMigrations, MIGRATIONS, migrate } from '../../database/migrate.js'
import { openPglite } from '../../database/pglite/pglite.js'

const NAME = '0005_links_of_posts.sql'

const database = TEST_DATABASE_URL
  ? openTestPostgres(await createEmptyDatabase('greenroom_links_of_posts'), 2)
  : await openPglite()
afterAll(() => database.close())

// The file disappears when the migrations are folded into the baseline.
test.skipIf(!knownMigrations().includes(NAME))('links to one post become links with one post', async () => {
  const before = new Set(knownMigrations().filter((name) => name < NAME))
  await migrate(database, MIGRATIONS.directory, before)
  await database.execute(`
    insert into organizations (organization_id, name, time_zone, created_at) values ('o', 'Test', 'UTC', now());
    insert into people (person_id, name, mail, created_at) values ('p', 'Bea', 'bea@example.com', now());
    insert into scheduled_posts (organization_id, scheduled_post_id, status, created_at, updated_at)
    select 'o', 'post_' || n, 'WAITING_FOR_APPROVAL', now(), now() from generate_series(1, 2) n;
    insert into review_links (organization_id, link_id, token_hash, scheduled_post_id, name, made_by, created_at, expires_at, ended_why)
    select 'o', id, id, post, id, 'p', now(), now() + interval '1 day', why
      from (values ('open', 'post_1', null), ('approved', 'post_2', 'approved'), ('revoked', 'post_2', 'revoked'),
                   ('several', null, null)) as link (id, post, why);
    insert into review_link_posts (organization_id, link_id, number, scheduled_post_id) values
      ('o', 'several', 1, 'post_2'), ('o', 'several', 2, 'post_1');`)
  expect((await migrate(database)).applied).toContain(NAME)
  const places = await database.query(
    'select link_id, number, scheduled_post_id, decision, ended from review_link_posts order by link_id, number',
  )
  const place = (link_id: string, number: number, scheduled_post_id: string, ended = false) => ({
    ...{ link_id, number, scheduled_post_id, decision: null, ended },
  })
  expect(places.rows).toEqual([
    place('approved', 1, 'post_2', true),
    place('open', 1, 'post_1'),
    place('revoked', 1, 'post_2'),
    place('several', 1, 'post_2'),
    place('several', 2, 'post_1'),
  ])
  // The post leaves its round of approval: the link with only this post ends, and so does its place in the other one.
  await database.query(`update scheduled_posts set status = 'REJECTED' where scheduled_post_id = 'post_1'`)
  const links = await database.query('select link_id, ended_why from review_links order by link_id')
  expect(links.rows).toEqual([
    { link_id: 'approved', ended_why: 'approved' },
    { link_id: 'open', ended_why: 'over' },
    { link_id: 'revoked', ended_why: 'revoked' },
    { link_id: 'several', ended_why: null },
  ])
})
