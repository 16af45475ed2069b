import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startChild } from '../../test/child.js'
import { withPoints } from '../../test/points.js'
import type { PublishRound, RoundReport } from '../../test/programs/publish-until-killed.js'
import { startPublisherTest } from '../../test/publisher-harness.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from '../../test/test-database.js'
import type { ChannelType } from '../interface/generated/types.js'
import { createPublisher } from './publisher.js'

const KINDS: [ChannelType, 'IMAGE' | 'VIDEO'][] = [
  ['FB_PAGE', 'IMAGE'],
  ['FB_PAGE', 'VIDEO'],
  ['INSTAGRAM_ACCOUNT', 'IMAGE'],
]

describe('a publisher that is killed with -9', () => {
  /** The points around each call and each write of a publication. */
  async function stepPoints(type: ChannelType, mediaType: 'IMAGE' | 'VIDEO'): Promise<number[]> {
    const t = await startPublisherTest()
    const channelId = await t.channel(type)
    await t.post({ mediaType, channels: [{ channelId, caption: 'Count' }] })
    const names: string[] = []
    await createPublisher(withPoints(t.context, (name) => void names.push(name))).tick()
    return names.flatMap((name, index) =>
      /^(after (GET|POST|with held)|(before|after) commit)/.test(name) ? [index] : [],
    )
  }

  const engine =
    TEST_DATABASE_URL === undefined ? (['PGlite', 6] as const) : (['PostgreSQL', Number.POSITIVE_INFINITY] as const)

  test.each([engine])(
    'at each step, on %s: the next one finishes the post, which is published once or not at all',
    async (engine, roundsMax) => {
      const rounds: Pick<PublishRound, 'type' | 'mediaType' | 'killAt'>[] = []
      for (const [type, mediaType] of KINDS) {
        for (const killAt of await stepPoints(type, mediaType)) rounds.push({ type, mediaType, killAt })
      }
      const every = Math.max(1, rounds.length / roundsMax)
      const chosen = rounds.filter((_, index) => Math.floor(index / every) !== Math.floor((index - 1) / every))

      const t = await startPublisherTest()
      const channels = { FB_PAGE: await t.channel('FB_PAGE'), INSTAGRAM_ACCOUNT: await t.channel('INSTAGRAM_ACCOUNT') }
      const tokens = t.sandbox.model.pages!.map(({ accessToken }) => accessToken)
      const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-publisher-'))
      onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
      const env = {
        DATA_DIR: dataDir,
        GRAPH_BASE_URL: t.sandbox.url,
        MASTER_KEY: 'ab'.repeat(32),
        DATABASE_URL: engine === 'PGlite' ? '' : await createEmptyDatabase('greenroom_kill_test'),
      }

      const run = async (round: PublishRound | undefined, nowMs: number): Promise<RoundReport> => {
        const child = startChild(PROGRAM, [JSON.stringify({ env, channels, tokens, nowMs, round })])
        const lines: string[] = []
        for await (const line of child.lines) lines.push(line)
        expect([await child.ended, child.errors()]).toEqual([round === undefined ? 0 : 'SIGKILL', ''])
        return JSON.parse(lines[0]!)
      }
      let report: RoundReport | undefined
      for (const [index, round] of [...chosen, undefined].entries()) {
        // Each has half an hour to finish what the previous one has begun; then it publishes, at the sandbox's time.
        t.clock.advance(3_600_000)
        report = await run(round && { ...round, caption: `Round ${index}` }, t.clock.now() - 1_800_000)
      }

      expect(report!.posts).toHaveLength(chosen.length)
      for (const { caption, status, error, versions } of report!.posts) {
        const published = t.sandbox.published.filter(({ text }) => text === caption)
        if (status === 'PUBLISHED') expect(published).toEqual([expect.objectContaining({ received: 1 })])
        else expect([published, error]).toEqual([[], expect.stringMatching(/^It may have been published: /)])
        expect(versions).toEqual(versions.map((_, version) => version + 1))
      }
      expect(report!.posts.filter(({ status }) => status === 'PUBLISHED').length).toBeGreaterThan(chosen.length / 2)
    },
    300_000,
  )

  const PROGRAM = new URL('../../test/programs/publish-until-killed.ts', import.meta.url)
})
