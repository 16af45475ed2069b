import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertAutomationRows } from '../../test/automation-rows.js'
import { type CliRun, type CliSurroundings, greenroom } from '../../test/cli.js'
import { OPERATOR_TOKEN, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable } from '../../test/posts.js'

let app: TestApp
let url: string
let directory: string
let tenant: Tenant
let page: string
let instagram: string
beforeAll(async () => {
  app = await startTestApp()
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
  directory = mkdtempSync(join(tmpdir(), 'greenroom-posts-'))
})
afterAll(async () => {
  await app.app.close()
  rmSync(directory, { recursive: true })
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  page = await tenant.channel([], 'FB_PAGE', 'Café')
  instagram = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'café')
})

async function run(code: number, argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> {
  const env = {
    GREENROOM_URL: url,
    GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN,
    GREENROOM_KEY: tenant.key.id,
    GREENROOM_SECRET: tenant.key.secret,
  }
  const result = await greenroom(argv, { clock: app.clock, env, ...surroundings })
  expect(result.code, `${argv.join(' ')}: ${result.stderr}`).toBe(code)
  return result
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
const json = async (argv: string[], surroundings?: CliSurroundings): Promise<any> =>
  JSON.parse((await run(0, argv, surroundings)).stdout)

const inOneHour = (): string => new Date(app.clock.now() + 3_600_000).toISOString()
const newPost = (): string[] => [
  ...['posts', 'create', '--scheduled-for', '+1h', '--media', 'https://cdn.example.com/latte.jpg'],
  ...['--media-type', 'IMAGE', '--channel', `${page}=Latte = love`, '--channel', `${instagram}=Latte ☕`],
]

describe('posts', () => {
  test('a post goes from draft to scheduled and back, and its history shows each step', async () => {
    const made = await json([...newPost(), '--notes', 'Morning'])
    const { id } = made
    expect(made).toMatchObject({ status: 'DRAFT', scheduledFor: inOneHour(), mediaType: 'IMAGE', notes: 'Morning' })
    expect(made.mediumsData[page].caption).toBe('Latte = love')
    expect(made.mediumsData[instagram].caption).toBe('Latte ☕')

    expect(await json(['posts', 'submit', id])).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
    expect(await json(['posts', 'reject', id, '--notes', 'Say when.'])).toMatchObject({
      status: 'REJECTED',
      notes: 'Say when.',
    })
    expect(await json(['posts', 'update', id, '--status', 'DRAFT', '--notes', 'At nine.'])).toMatchObject({
      status: 'DRAFT',
      notes: 'At nine.',
    })
    await run(0, ['posts', 'submit', id])
    const approve = ['posts', 'approve', tenant.organizationId, id]
    expect((await run(2, approve)).stderr).toContain('add --yes')
    expect((await run(1, [...approve, '--if-match', '"2"'])).stderr).toContain('412 post_changed')
    const approved = await json([...approve, '--yes'])
    expect(approved).toMatchObject({ status: 'SCHEDULED', taskId: expect.any(String) })
    expect(await json(['posts', 'get', id])).toEqual(approved)
    expect(await json(['posts', 'revert', id])).toMatchObject({ status: 'DRAFT' })
    const { message } = await json(['posts', 'delete', id, '--yes'])
    expect(message).toEqual(expect.any(String))

    const changes = await json(['posts', 'history', tenant.organizationId, id])
    expect(changes.map(({ action }: { action: string }) => action)).toEqual([
      ...['created', 'submitted', 'rejected', 'updated', 'submitted', 'approved', 'reverted', 'deleted'],
    ])
    const shown = await run(0, ['posts', 'history', tenant.organizationId, id], { terminal: 'both' })
    expect(shown.stdout).toMatch(/operator +approved +WAITING_FOR_APPROVAL → SCHEDULED/)
    expect((await run(1, ['posts', 'get', id])).stderr).toContain('404 post_not_found')
  })

  test('an approval at a terminal shows the post, asks, and approves what was shown', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'WAITING_FOR_APPROVAL' })
    const approve = ['posts', 'approve', tenant.organizationId, id]
    const typed = (text: string) => Object.assign(Readable.from([text]), { isTTY: true })
    const refused = await run(1, approve, { stdin: typed('n\n'), terminal: 'both' })
    expect(refused.stderr).toContain('Summer is here')
    expect(refused.stderr).toContain('Approve this post? [y/N]')
    expect(refused.stderr).toContain('The post was not approved.')
    expect((await run(1, approve, { stdin: typed(''), terminal: 'both' })).stderr).toContain('was not approved')
    expect(await json(['posts', 'get', id])).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
    await run(0, approve, { stdin: typed('y\n'), terminal: 'both' })
    expect(await json(['posts', 'get', id])).toMatchObject({ status: 'SCHEDULED' })
  })

  test('a late post is shown with the reason', async () => {
    const scheduledFor = new Date(app.clock.now() - 120_000)
    const id = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED', scheduledFor })
    const { wait } = await json(['posts', 'get', id])
    // Another test may have left a publisher in the database.
    expect(wait).toMatchObject({ reason: expect.stringMatching(/^(publisher_off|queue)$/), channels: [] })
    const shown = await run(0, ['posts', 'get', id], { terminal: 'both' })
    expect(shown.stdout.replace(/\s+/g, ' ')).toContain(`waits for ${wait.reason}: ${wait.text}`)
  })

  test('a deletion asks, and is refused if nobody can be asked', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'DRAFT' })
    const typed = (text: string) => Object.assign(Readable.from([text]), { isTTY: true })
    const piped = await run(2, ['posts', 'delete', id])
    expect(piped.stderr).toContain('there is no terminal to ask on: add --yes.')
    const refused = await run(1, ['posts', 'delete', id], { stdin: typed('n\n'), terminal: 'both' })
    expect(refused.stderr).toContain(`This deletes the post ${id}.`)
    expect(refused.stderr).toContain('Nothing was changed.')
    expect(await json(['posts', 'get', id])).toMatchObject({ status: 'DRAFT' })
    await run(0, ['posts', 'delete', id], { stdin: typed('y\n'), terminal: 'both' })
    expect((await run(1, ['posts', 'get', id])).stderr).toContain('404 post_not_found')
  })

  test('a list that shows only a part says so, and how to see the rest', async () => {
    for (let index = 0; index < 60; index++) await insertPost(tenant)
    const shown = async (...argv: string[]): Promise<[number, string]> => {
      const { stdout, stderr } = await run(0, ['posts', 'list', ...argv])
      return [JSON.parse(stdout).length, stderr]
    }
    expect(await shown()).toEqual([50, 'There are more than these 50: use --limit to show more, or --all.\n'])
    expect(await shown('--limit', '60')).toEqual([60, ''])
    expect(await shown('--limit', '59')).toEqual([59, expect.stringContaining('than these 59')])
    expect(await shown('--limit', '999')).toEqual([60, ''])
    expect(await shown('--offset', '10')).toEqual([50, ''])
    expect(await shown('--offset', '9')).toEqual([50, expect.stringContaining('than these 50')])
    expect(await shown('--all')).toEqual([60, ''])
    for (let index = 0; index < 141; index++) await insertPost(tenant)
    expect(await shown('--limit', '200')).toEqual([
      200,
      'There are more than these 200: use --limit to show more, or --all.\n',
    ])
    expect((await run(1, ['posts', 'list', '--limit', '0'])).stderr).toContain('limit')
  })

  test('--data accepts a file that begins with U+FEFF, as programs on Windows write it', async () => {
    const file = join(directory, 'bom.json')
    writeFileSync(file, '\uFEFF{"notes": "From a file"}\r\n')
    expect(await json(['posts', 'create', '--data', `@${file}`])).toMatchObject({ notes: 'From a file' })
    expect(await json(['posts', 'create', '--data', '-'], { stdin: '\uFEFF{"notes": "Piped"}' })).toMatchObject({
      notes: 'Piped',
    })
    expect(await json(['call', 'POST', '/scheduled-posts', '--data', `@${file}`])).toMatchObject({
      notes: 'From a file',
    })
  })

  test('an empty post is refused with what to add, and an empty draft is created on request', async () => {
    const { stderr } = await run(2, ['posts', 'create'])
    expect(stderr).toMatch(/^Add what to post: --channel CHANNEL=CAPTION, --media URL/)
    expect(await json(['posts', 'list'])).toEqual([])
    const { id } = await json(['posts', 'create', '--data', '{}'])
    expect((await run(2, ['posts', 'update', id])).stderr).toMatch(/^Add what to change/)
  })

  test('a failed post gets a new time', async () => {
    const id = await insertPost(tenant, { ...publishable(page), status: 'FAILED' })
    const argv = ['posts', 'retry', tenant.organizationId, id, '--scheduled-for', '+1h']
    expect(await json(argv)).toMatchObject({ status: 'SCHEDULED', scheduledFor: inOneHour() })
    expect((await run(1, argv)).stderr).toContain('400 wrong_state')
  })

  test('an update changes the named fields and keeps the rest', async () => {
    const { id } = await json(newPost())
    const argv = ['posts', 'update', id, '--channel', `${page}=Flat white`, '--scheduled-for', '2026-12-24T09:00:00Z']
    const after = await json(argv)
    expect(after).toMatchObject({
      scheduledFor: '2026-12-24T09:00:00.000Z',
      media: 'https://cdn.example.com/latte.jpg',
    })
    expect(after.mediumsData).toMatchObject({ [page]: { caption: 'Flat white' }, [instagram]: { caption: 'Latte ☕' } })
  })

  test('a superpower comes from a file, inline, or by the name of a saved one', async () => {
    const file = join(directory, 'raffle.json')
    writeFileSync(file, JSON.stringify({ hashtag: '#Raffle', active: true }))
    const { creativeTemplateId } = await json([
      ...['superpowers', 'create', tenant.organizationId, 'Quiz'],
      ...['--data', '{"hashtag":"#Quiz","active":true}'],
    ])
    const { id, mediumsData } = await json([
      ...newPost(),
      ...['--superpower', `${page}=@${file}`],
      ...['--superpower', `${instagram}={"creativeTemplateId":"${creativeTemplateId}"}`],
    ])
    expect(mediumsData[page]).toMatchObject({ caption: 'Latte = love', superpower: { hashtag: '#Raffle' } })
    expect(mediumsData[instagram]).toMatchObject({ superpower: { hashtag: '#Quiz', creativeTemplateId } })
    const shown = await run(0, ['posts', 'get', id], { terminal: 'both' })
    expect(shown.stdout).toMatch(new RegExp(`^${page} +\\(#Raffle\\) Latte = love$`, 'm'))
    const list = await run(0, ['superpowers', 'list', tenant.organizationId], { terminal: 'both' })
    expect(list.stdout).toMatch(new RegExp(`^${creativeTemplateId} +yes +#Quiz +Quiz$`, 'm'))
  })

  describe('explaining a superpower', () => {
    const conditions = [{ values: ['want'] }]
    const group = {
      conditions,
      privateReplies: [{ text: 'Here, @[mention_user]' }],
      autoLike: true,
      autoLikeProbability: 0,
    }
    const superpower = { conditionGroups: [group], commentTarget: 5 }
    const about = ['--type', 'FB_PAGE', '--comment', 'I want it', '--comment', 'Nice']

    test('works from a file, or for a saved one by its id, for a key and for the operator', async () => {
      const file = join(directory, 'want.json')
      writeFileSync(file, JSON.stringify(superpower))
      const { creativeTemplateId: id } = await json([
        ...['superpowers', 'create', tenant.organizationId, 'Want', '--data', `@${file}`],
      ])
      for (const from of [[], [tenant.organizationId]]) {
        for (const [given, surroundings] of [
          [['--file', file], {}],
          [['--file', '-'], { stdin: JSON.stringify(superpower) }],
          [['--id', id], {}],
        ] as const) {
          expect(await json(['superpowers', 'explain', ...from, ...given, ...about], surroundings)).toMatchObject({
            comments: [
              { text: 'I want it', group: 0, reason: 'matched', effects: [{ effect: 'private_reply', text: 'Here' }] },
              { text: 'Nice', group: null, reason: 'no_match', effects: [] },
            ],
            notExecuted: [{ path: 'commentTarget' }],
          })
        }
      }
    })

    test('prints a table, with remarks beside it', async () => {
      const late = { ...group, autoLikeProbability: 1, delayDMReplyInHours: 200 }
      const stdin = JSON.stringify({ ...superpower, conditionGroups: [late] })
      const argv = ['superpowers', 'explain', '--file', '-', ...about]
      const { stdout, stderr } = await run(0, argv, { stdin, terminal: 'both', columns: 200 })
      expect(stdout).toMatch(/^1 +matched +no +I want it +no private reply \(window\); like$/m)
      expect(stdout).toMatch(/no_match +no +Nice/)
      expect(stderr).toMatch(/^Not executed: commentTarget\. Targets of /m)
      expect(stderr).toMatch(/^Warning: Group 1 waits too long/m)
      const csv = await run(0, ['--csv', ...argv], { stdin })
      expect(csv.stdout).toContain('group,reason,raffle,comment,effects')
    })

    test("of a post uses the comments that were seen there, except the channel's own", async () => {
      const channels = [
        { channelId: page, superpower },
        { channelId: instagram, superpower },
      ]
      const post = await insertPost(tenant, { ...publishable(), status: 'PUBLISHED', channels })
      const key: [string, string, string] = [tenant.organizationId, post, page]
      await insertAutomationRows(app.context.database, key)
      await app.context.database.query(
        `insert into automation_comments (organization_id, scheduled_post_id, channel_id, comment_id, person_id, text,
                                          commented_at, decided_at, reason)
         select $1, $2, $3, '5_' || n, case when n = 9 then 'page' end, 'I want it ' || n, now(), now(),
                case when n = 9 then 'own_comment' else 'no_match' end
           from generate_series(8, 9) n`,
        key,
      )
      const argv = ['superpowers', 'explain', '--post', post, '--channel', page]
      const { comments } = await json([...argv, '--comment', 'I want more'])
      expect(comments).toMatchObject([
        { commentId: '5_8', text: 'I want it 8', reason: 'matched' },
        { commentId: '5_7', text: 'me', reason: 'no_match' },
        { text: 'I want more', reason: 'matched' },
      ])
      const asOperator = [...argv.slice(0, 2), tenant.organizationId, ...argv.slice(2)]
      expect((await json([...asOperator, '--last', '1'])).comments).toMatchObject([{ commentId: '5_8' }])

      for (const [code, given, message] of [
        [2, ['--post', post], `Add --channel: ${[page, instagram].sort().join(' or ')}`],
        [1, ['--post', post, '--channel', 'FB_PAGE_1'], 'has no superpower there'],
        [1, ['--post', await insertPost(tenant)], 'has no superpower.'],
        [2, [...argv.slice(2), '--last', '201'], 'At most 200'],
        [2, [...argv.slice(2), '--type', 'FB_PAGE'], 'With --post, the type is that of the channel'],
        [2, ['--id', 'x', '--last', '1', '--type', 'FB_PAGE'], '--channel and --last need --post'],
        [2, ['--id', 'x'], 'Add --type: FB_PAGE or INSTAGRAM_ACCOUNT'],
      ] as const) {
        expect((await run(code, ['superpowers', 'explain', ...given])).stderr).toContain(message)
      }
    })

    test('needs exactly one of them, and one that exists', async () => {
      for (const given of [[], ['--id', 'x', '--file', 'y'], ['--id', 'x', '--post', 'y']]) {
        expect((await run(2, ['superpowers', 'explain', ...given, ...about])).stderr).toContain(
          'one of --file, --id and --post',
        )
      }
      const unknown = await run(1, ['superpowers', 'explain', '--id', 'template_none', ...about])
      expect(unknown.stderr).toContain('There is no saved superpower template_none')
    })
  })

  test('the whole body comes from an argument, a file or stdin, and then allows no other options', async () => {
    const body = JSON.stringify({ notes: 'From JSON', status: 'DRAFT' })
    const file = join(directory, 'post.json')
    writeFileSync(file, body)
    for (const data of [body, `@${file}`, '-']) {
      expect(await json(['posts', 'create', '--data', data], { stdin: body })).toMatchObject({ notes: 'From JSON' })
    }
    const { stderr } = await run(2, [...newPost(), '--data', body])
    expect(stderr).toBe('--data is the whole body: omit the other fields.\n')
    expect((await run(2, ['posts', 'create', '--data', '{"notes"'])).stderr).toMatch(/^--data is not JSON: /)
    expect((await run(2, ['posts', 'create', '--data', '[]'])).stderr).toBe('--data must be one JSON object.\n')
  })

  test('with an idempotency key a repeat creates no second post', async () => {
    const argv = [...newPost(), '--idempotency-key', 'morning-1', '--quiet']
    const first = await run(0, argv)
    expect(first.stdout).toMatch(/^post_\S+\n$/)
    expect((await run(0, argv)).stdout).toBe(first.stdout)
    expect(await json(['posts', 'list'])).toHaveLength(1)
  })

  test('lists by status and channel, as a table on a terminal', async () => {
    const { id } = await json(newPost())
    const other = await insertPost(tenant, { ...publishable(page), status: 'SCHEDULED' })
    const listed = async (...argv: string[]): Promise<string[]> =>
      (await json(['posts', 'list', ...argv])).map((post: { id: string }) => post.id)
    expect(await listed()).toEqual([id, other])
    expect(await listed('--status', 'SCHEDULED')).toEqual([other])
    expect(await listed('--channel', instagram)).toEqual([id])
    expect(await listed('--limit', '1')).toEqual([id])
    expect(await listed('--limit', '1', '--offset', '1')).toEqual([other])
    expect((await run(2, ['posts', 'list', '--status', 'LOST'])).stderr).toContain('WAITING_FOR_APPROVAL')
    const { stdout } = await run(0, ['posts', 'list'], { terminal: 'both' })
    expect(stdout).toMatch(/^id +status +scheduledFor +channels +caption$/m)
    expect(stdout).toMatch(new RegExp(`^${id} +DRAFT +${inOneHour()} +2 +Latte`, 'm'))
  })

  test('failures are marked for people', async () => {
    const channels = [{ channelId: page, caption: 'Latte', failedToPublish: true }]
    const id = await insertPost(tenant, { ...publishable(page), status: 'FAILED', channels })
    const { stdout } = await run(0, ['posts', 'get', id], { terminal: 'both' })
    expect(stdout).toMatch(new RegExp(`^${page} +\\(failed to publish\\) Latte$`, 'm'))
  })

  test('a channel without its caption is refused before anything is sent', async () => {
    for (const option of ['--channel', '--superpower']) {
      const { stderr } = await run(2, ['posts', 'create', option, page])
      expect(stderr).toContain(`${option} must be CHANNEL=…`)
    }
    expect((await run(2, ['posts', 'create', '--superpower', `${page}=#Quiz`])).stderr).toContain('is not JSON')
    expect((await run(2, ['posts', 'submit', ' '])).stderr).toContain('An id is empty.')
  })
})
