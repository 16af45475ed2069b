import { expect, test } from 'vitest'
import { limit } from '../../lib/limits.js'
import { ColdBuilds } from './cold-builds.js'

/** Builds that continue until they are ended. */
function setUp() {
  const builds = new ColdBuilds()
  const started: string[] = []
  const enders: (() => void)[] = []
  const start = (organizationId: string, name = organizationId) =>
    builds.run(organizationId, () => {
      started.push(name)
      return new Promise<void>((resolve) => enders.push(resolve))
    })
  const endNext = async () => {
    enders.shift()!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { builds, start, started, endNext }
}

const AT_ONCE = limit('listBuildsAtOnce')

test('some run at once, the others when one has ended, and organizations take turns', async () => {
  const { start, started, endNext } = setUp()
  for (let n = 1; n <= AT_ONCE + 3; n++) void start('many', `many ${n}`)
  void start('few', 'few 1')
  void start('few', 'few 2')
  expect(started).toHaveLength(AT_ONCE)
  for (let ended = 0; ended < 5; ended++) {
    await endNext()
    expect(started).toHaveLength(AT_ONCE + ended + 1)
  }
  const [a, b, c] = [1, 2, 3].map((n) => `many ${AT_ONCE + n}`)
  expect(started.slice(AT_ONCE)).toEqual([a, 'few 1', b, 'few 2', c])
})

test('an organization with its share waiting is refused while another is not, and the total is limited', async () => {
  const { start } = setUp()
  const share = limit('listBuildsWaitingOfOrganization')
  for (let n = 0; n < AT_ONCE + share; n++) void start('first')
  await expect(start('first')).rejects.toMatchObject({ code: 'lists_busy', status: 503, retryAfterSeconds: 2 })
  let waiting = share
  for (; waiting < limit('listBuildsWaiting'); waiting++) void start(`other ${waiting}`)
  await expect(start('last')).rejects.toMatchObject({ code: 'lists_busy' })
})

test('a failed build makes room', async () => {
  const { builds } = setUp()
  const fail = () => builds.run('one', () => Promise.reject(new Error('failed')))
  for (let n = 0; n < AT_ONCE * 2; n++) await expect(fail()).rejects.toThrow('failed')
  await expect(builds.run('one', async () => 'built')).resolves.toBe('built')
})
