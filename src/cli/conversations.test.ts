import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startChild } from '../../test/child.js'
import { CliStage } from '../../test/cli-stage.js'
import { OPERATOR_TOKEN, Tenant } from '../../test/harness.js'
import { inLongSuite } from '../../test/runs.js'

const stage = new CliStage()
const { run, json, file } = stage

describe('conversations import', () => {
  const importTo = async (): Promise<{ tenant: Tenant; to: string[] }> => {
    const tenant = await Tenant.create(stage.app)
    return { tenant, to: ['--organization', tenant.organizationId, '--channel', await tenant.channel()] }
  }

  test('imports good lines, shows bad ones with their reason, and exits with 1', async () => {
    const { to } = await importTo()
    const lines = ['{"conversationId":"c1","cuid":"u1"}', 'nonsense', '{"conversationId":"c2"}']
    const path = file('fans.ndjson', lines.join('\n'))
    const { stdout, stderr } = await run(1, ['conversations', 'import', path, ...to], { terminal: 'both' })
    expect(stdout).toMatch(/^received {2}3\nimported {2}1\nrejected {2}2\nline 2: .+\nline 3: .*cuid.*\n$/)
    expect(stderr).toMatch(/2 lines were rejected\.\n$/)
    expect(stderr).toMatch(/░* \d+ %, 0\.0 of 0\.0 MB/)
    const piped = await run(1, ['conversations', 'import', path, ...to])
    expect(JSON.parse(piped.stdout)).toMatchObject({ received: 3, imported: 1, rejectedCount: 2 })
  })

  test('reads stdin, whose format must be given', async () => {
    const { to } = await importTo()
    const stdin = '{"conversationId":"c1","cuid":"u1"}\n'
    expect((await run(2, ['conversations', 'import', '-', ...to], { stdin })).stderr).toContain('--format')
    const argv = ['conversations', 'import', '-', '--format', 'ndjson', ...to]
    expect(await json(argv, { stdin })).toMatchObject({ imported: 1 })
  })

  test('reports a refusal that arrives during the upload: token, organization, channel, columns', async () => {
    const { tenant, to } = await importTo()
    const argv = (...to: string[]): string[] => ['conversations', 'import', '-', '--format', 'csv', ...to]
    const wrongToken = { stdin: endless(), env: { GREENROOM_OPERATOR_TOKEN: 'not-the-operators-token' } }
    expect((await run(1, argv(...to), wrongToken)).stderr).toContain('401 operator_token_wrong')
    const noOrganization = ['--organization', 'org_none', '--channel', 'FB_PAGE_1']
    expect((await run(1, argv(...noOrganization), { stdin: endless() })).stderr).toContain('404 organization_not_found')
    const noChannel = ['--organization', tenant.organizationId, '--channel', 'FB_PAGE_1']
    expect((await run(1, argv(...noChannel), { stdin: endless() })).stderr).toContain('404 channel_not_found')
    expect((await run(1, argv(...to), { stdin: endless() })).stderr).toMatch(/cuid.*\n\((400|422) /)
  })

  test('exits with 2 and a reason if a file cannot be read or is not a file', async () => {
    const { to } = await importTo()
    const none = await run(2, ['conversations', 'import', join(stage.directory, 'none.csv'), ...to])
    expect(none.stderr).toMatch(/none\.csv cannot be read: there is no such file\.\n$/)
    const folder = await run(2, ['conversations', 'import', stage.directory, '--format', 'csv', ...to])
    expect(folder.stderr).toMatch(/cannot be read: it is a directory\.\n$/)
  })

  test('does not treat an interrupted input as complete', async () => {
    const { to } = await importTo()
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('{"conversationId":"c1","cuid":"u1"}\n')
        throw new Error('the pipe broke')
      })(),
      { objectMode: false },
    )
    const argv = ['conversations', 'import', '-', '--format', 'ndjson', ...to]
    expect((await run(2, argv, { stdin: broken })).stderr).toContain('The input cannot be read: the pipe broke.')
  })

  test('--map renames columns, --dry-run changes nothing', async () => {
    const { tenant, to } = await importTo()
    const path = file('crm.csv', '\uFEFFsep=;\r\nKunde;"Chat=Nr";Notiz\r\nu1;c1;hello\r\nu2;;x')
    const argv = ['conversations', 'import', path, ...to, '--map', 'Kunde=cuid', '--map', 'Chat=Nr=conversationId']
    expect((await run(1, argv)).stderr).toContain('"Notiz" is not a field of an import')
    const all = [...argv, '--map', 'Notiz=']
    const dry = await run(1, [...all, '--dry-run'], { terminal: 'both' })
    expect(dry.stdout).toMatch(/^dry run {3}nothing was changed\nreceived {2}2\nimported {2}1\nrejected {2}1\nline 4: /)
    expect(await tenant.countConversations()).toBe(0)
    expect(JSON.parse((await run(1, [...all, '--dry-run'])).stdout)).toMatchObject({ dryRun: true, imported: 1 })
    expect(JSON.parse((await run(1, all)).stdout)).not.toHaveProperty('dryRun')
    expect(await tenant.countConversations()).toBe(1)
    expect((await run(2, [...argv, '--map', 'Notiz'])).stderr).toContain('It must be THEIRS=OURS')
    const ndjson = ['conversations', 'import', '-', '--format', 'ndjson', ...to]
    const lines = `${JSON.stringify({ Kunde: 'u3', 'Chat=Nr': 'c3', Notiz: 'hello' })}\n`
    const hint = JSON.parse((await run(1, ndjson, { stdin: lines })).stdout).rejected[0].reason
    expect(hint).toContain('use --map Kunde=conversationId or, to leave it out, --map Kunde=')
    const mapped = [...ndjson, '--map', 'Kunde=cuid', '--map', 'Chat=Nr=conversationId', '--map', 'Notiz=']
    expect(JSON.parse((await run(0, mapped, { stdin: lines })).stdout)).toMatchObject({ imported: 1 })
  })

  test('--rejects writes rejected lines as in the file; once corrected, they can be imported', async () => {
    const { tenant, to } = await importTo()
    const lines = [
      '',
      'conversationId;cuid;firstName;birthday',
      'c1;u1;"two',
      'lines 🌸";--02-30',
      'c2;u2;;',
      'c3',
      'c4;;;',
    ]
    const path = file('fans.csv', lines.join('\r\n'))
    const rejects = join(stage.directory, 'rejects.csv')
    const argv = (path: string): string[] => ['conversations', 'import', path, ...to, '--rejects', rejects]
    const { stderr } = await run(1, argv(path))
    expect(stderr).toBe(
      `${rejects} has the rejected lines with their reasons: correct and import it.\n3 lines were rejected.\n`,
    )
    const written = readFileSync(rejects, 'utf8')
    expect(written.split('\n').map((text) => text.replace(/(?<=^# line \d+: ).*/, '…'))).toEqual([
      ...['\r', `${lines[1]}\r`, '# line 3: …', 'c1;u1;"two\r', 'lines 🌸";--02-30\r', '# line 6: …', 'c3\r'],
      ...['# line 7: …', 'c4;;;', ''],
    ])
    expect(written).toContain('not "--02-30"')
    const mended = file(
      'mended.csv',
      written.replaceAll('--02-30', '--02-29').replace('c3\r', 'c3;u3;;\r').replace('c4;;', 'c4;u4;'),
    )
    expect(JSON.parse((await run(0, argv(mended))).stdout)).toMatchObject({ imported: 3, rejectedCount: 0 })
    expect(await tenant.countConversations()).toBe(4)
    // Nothing was rejected, so the file has only the header.
    expect(readFileSync(rejects, 'utf8')).toBe(`\r\n${lines[1]}\r\n`)

    const many = file('many.ndjson', `{"conversationId":"n","cuid":"n"}\n${'wrong\n'.repeat(10_002)}`)
    const first = await run(1, argv(many), { terminal: 'both', columns: 300 })
    expect(first.stderr).toContain('It does not have 2 more: correct these first.')
    expect(first.stdout.split('\n')).toHaveLength(3 + 100 + 1 + 1)
    expect(readFileSync(rejects, 'utf8').split('\n')).toHaveLength(20_001)
    const piped = ['conversations', 'import', '-', '--format', 'ndjson', ...to, '--rejects', rejects]
    expect((await run(2, piped)).stderr).toContain('give a file instead of a pipe')
    const ofPipe = ['conversations', 'import', '/dev/null', '--format', 'ndjson', ...to, '--rejects', rejects]
    expect((await run(2, ofPipe)).stderr).toContain('give a file instead of a pipe')
  })

  test.runIf(inLongSuite())('says so if an import is longer than its list of errors', async () => {
    const { to } = await importTo()
    const rows = Array.from({ length: 25_001 }, (_, index) => `c${index},u${index}\n`)
    const argv = (path: string): string[] => ['conversations', 'import', path, ...to]
    const { stderr } = await run(0, argv(file('many.csv', `conversationId,cuid\n${rows.join('')}`)))
    expect(stderr).toMatch(
      /^All conversations are stored, but .* `greenroom conversations export` has all of them\.\n$/,
    )
    expect((await run(0, argv(file('few.csv', `conversationId,cuid\n${rows[0]}`)))).stderr).toBe('')
  })

  test.skipIf(process.platform === 'win32')('Ctrl-C ends it with the number of imported lines, and 130', async () => {
    const { tenant, to } = await importTo()
    const env = { GREENROOM_URL: stage.url, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN, HOME: stage.directory }
    const argv = ['conversations', 'import', '-', '--format', 'ndjson', ...to]
    const child = startChild(new URL('../main.ts', import.meta.url), argv, env)
    onTestFinished(() => void child.process.kill('SIGKILL'))
    const rows = Array.from({ length: 1_250 }, (_, index) => `{"conversationId":"c${index}","cuid":"u${index}"}\n`)
    child.process.stdin.write(`${rows.join('')}{"conversationId":"torn`)
    // The first batch is imported. The rest waits until it is done.
    while ((await tenant.countConversations()) === 0) await new Promise((resolve) => setImmediate(resolve))
    child.process.kill('SIGINT')
    expect(await child.ended).toBe(130)
    expect(child.errors()).toMatch(/\nStopped\. 1,250 lines were imported\. It is safe to send the same file again/)
    let report = ''
    for await (const line of child.lines) report += line
    expect(JSON.parse(report)).toMatchObject({ received: 1_250, imported: 1_250, rejectedCount: 0 })
    expect(await tenant.countConversations()).toBe(1_250)
  })
})

/** An endless CSV without the required columns. The command only ends if the server answers early. */
function endless(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from('conversationId\n')
      for (;;) yield Buffer.alloc(64 * 1024, 'a,\n')
    })(),
    { objectMode: false },
  )
}
