import { expect, test } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { Member } from '../../test/harness.js'

const stage = new CliStage()
const { run, json } = stage

test('for a person who leaves, remaining keys are listed with the command that revokes them, and end if the flag names them', async () => {
  const { id: organization } = await json(['organizations', 'create', 'Café Lumière'])
  const at = `/organizations/${organization}`
  const admin = (): Promise<Member> => Member.create(stage.app, { organizationId: organization, role: 'ADMIN' })
  const issue = async (by: Member, name: string): Promise<string> =>
    (await by.call(201, 'POST', `${at}/keys`, { body: { name } })).body.id
  const live = async (): Promise<string[]> =>
    (await json(['keys', 'list', organization]))
      .filter(({ revokedAt }: { revokedAt?: string }) => revokedAt === undefined)
      .map(({ id }: { id: string }) => id)

  const [one, two, three, four] = [await admin(), await admin(), await admin(), await admin()]
  const [first, second] = [await issue(one, 'warehouse'), await issue(one, '')]
  const removed = await run(0, ['members', 'remove', organization, one.id, '--yes', '--revoke-keys', first])
  expect(JSON.parse(removed.stdout).ended.keys).toEqual([first])
  expect(removed.stderr).toContain(`greenroom keys revoke ${organization} ${second}`)
  expect(removed.stderr).not.toContain(first)
  expect(await live()).toEqual([second])

  const third = await issue(two, 'shop')
  const kept = await run(0, ['users', 'deactivate', '--yes', two.id])
  expect(kept.stderr).toContain(`${third} (shop) of ${organization}`)
  expect(kept.stderr).toContain(`greenroom users deactivate ${two.id} --revoke-keys all`)
  const ended = await run(0, ['users', 'deactivate', '--yes', two.id, '--revoke-keys', 'all'])
  expect([JSON.parse(ended.stdout).ended.keys, ended.stderr]).toEqual([[third], ''])
  expect(
    (await run(1, ['members', 'remove', '--yes', organization, three.id, '--revoke-keys', second])).stderr,
  ).toContain('404 key_not_found')
  expect((await run(0, ['members', 'remove', '--yes', organization, three.id])).stderr).toBe('')

  const [fourth, fifth] = [await issue(four, 'till'), await issue(four, '')]
  expect((await run(2, ['users', 'delete', four.id])).stderr).toContain('--yes')
  const deleted = await run(0, ['users', 'delete', four.id, '--yes', '--revoke-keys', fourth])
  expect(JSON.parse(deleted.stdout)).toMatchObject({ id: four.id, ended: { keys: [fourth] } })
  expect(deleted.stderr).toContain(`greenroom keys revoke ${organization} ${fifth}`)
  expect((await run(1, ['users', 'delete', four.id, '--yes'])).stderr).toContain('404 account_not_found')
})
