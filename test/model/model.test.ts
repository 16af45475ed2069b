import { describe, expect, test } from 'vitest'
import type { SandboxPublication } from '../../packages/sandbox/src/publications.js'
import { findHistoryProblems, findOutcomeProblems } from './check.js'
import { type Change, isApproved, newNote, type PostNote, writersOf } from './notebook.js'
import { planSequence } from './plan.js'
import { REFUSAL } from './world.js'

// These tests check the trial's own rules by breaking each of them once.

const CHANNEL = 'FB_PAGE_1'
const content = { media: 'https://cdn.example.com/a.jpg', mediaType: 'IMAGE', captions: { [CHANNEL]: 'Hi' } }
const item = (text = 'Hi', publishedAt = 50): SandboxPublication => ({
  id: '1_2',
  pageId: '1',
  text,
  mediaType: 'IMAGE',
  mediaUrl: content.media,
  publishedAt,
  permalink: '',
  received: 1,
})
const note = (more: Partial<PostNote> = {}): PostNote => ({
  ...newNote({ sequence: 0, id: 'post_1', organization: 'eyes', creator: 'user:a' }),
  approvals: [{ from: 10, to: 20, content }],
  ...more,
})

describe('a publication', () => {
  test('matches an approval that was requested before it and had not ended', () => {
    expect(isApproved(note(), CHANNEL, item())).toBe(true)
    expect(isApproved(note(), CHANNEL, item('Other'))).toBe(false)
    expect(isApproved(note(), 'FB_PAGE_2', item())).toBe(false)
    expect(isApproved(note(), CHANNEL, { ...item(), mediaUrl: 'https://cdn.example.com/b.jpg' })).toBe(false)
    expect(isApproved(note(), CHANNEL, item('Hi', 9))).toBe(false)
    expect(isApproved(note({ ends: [{ from: 30, to: 40 }] }), CHANNEL, item())).toBe(false)
    // Ending the approval does not count before it, after the publication, or if requested during it.
    for (const end of [
      { from: 1, to: 5 },
      { from: 30, to: 60 },
      { from: 15, to: 40 },
    ]) {
      expect(isApproved(note({ ends: [end] }), CHANNEL, item())).toBe(true)
    }
    const unsure = note({ approvals: [{ from: 10, to: undefined, content }], ends: [{ from: 30, to: 40 }] })
    expect(isApproved(unsure, CHANNEL, item())).toBe(true)
  })

  const body = (status: string, failedToPublish = false, caption = 'Hi') => ({
    ...{ status, media: content.media, mediaType: 'IMAGE' },
    mediumsData: { [CHANNEL]: { caption, failedToPublish } },
  })
  const out = [{ channelId: CHANNEL, item: item() }]
  const failedFor = (error: string) => [
    {
      version: 1,
      at: '',
      actor: 'publisher',
      action: 'failed',
      detail: { channels: { [CHANNEL]: { state: 'FAILED', error } } },
    },
  ]
  test.each<
    [
      string,
      Parameters<typeof findOutcomeProblems>[1],
      Parameters<typeof findOutcomeProblems>[2],
      typeof out,
      RegExp | undefined,
    ]
  >([
    ['published', body('PUBLISHED'), [], out, undefined],
    ['published, but not on the platform', body('PUBLISHED'), [], [], /not published on/],
    ['published with another text', body('PUBLISHED', false, 'Never out'), [], out, /has another text on FB_PAGE_1/],
    [
      'a draft with a text other than the published one',
      body('DRAFT', false, 'Never out'),
      [],
      out,
      /has another text on/,
    ],
    ['failed because of the refusal', body('FAILED', true), failedFor(REFUSAL), [], undefined],
    [
      'failed because of the refusal, but on the platform',
      body('FAILED', true),
      failedFor(REFUSAL),
      out,
      /where it is published/,
    ],
    ['failed in doubt', body('FAILED', true), failedFor('It may have been published: …'), out, undefined],
    ['failed because of a token', body('FAILED', true), failedFor('Malformed access token'), [], /without a cause/],
  ])('%s', (_what, answer, history, items, problem) => {
    const problems = findOutcomeProblems(note(), answer, history, items)
    if (problem === undefined) expect(problems).toEqual([])
    else expect(problems.join('\n')).toMatch(problem)
  })
})

describe('the authors of a version', () => {
  const change = (version: number, actor: string, ...parts: string[]): Change => ({
    version,
    actor,
    action: 'updated',
    parts,
  })
  const changes = [change(2, 'user:b', 'x.caption', 'media'), change(3, 'user:c', 'media'), change(4, 'user:d')]

  test('are its creator, and the last person to change each part up to that version', () => {
    expect(writersOf(note({ changes }), 4).certain).toEqual(new Set(['user:a', 'user:b', 'user:c']))
    expect(writersOf(note({ changes }), 2).certain).toEqual(new Set(['user:a', 'user:b']))
    const later = [...changes, change(5, 'user:c', 'x.caption')]
    expect(writersOf(note({ changes: later }), 5).certain).toEqual(new Set(['user:a', 'user:c']))
  })

  test('are uncertain for a part that a lost change may have touched', () => {
    const { certain, possible } = writersOf(note({ changes, unsureParts: new Set(['media']) }), 4)
    expect([certain, possible]).toEqual([new Set(['user:a', 'user:b']), new Set(['user:a', 'user:b', 'user:c'])])
  })
})

describe('a history', () => {
  const at = '2026-11-20T09:00:00.000Z'
  const created = { version: 1, at, actor: 'user:a', action: 'created', toStatus: 'DRAFT' }
  const submitted = {
    version: 2,
    at,
    actor: 'user:a',
    action: 'submitted',
    fromStatus: 'DRAFT',
    toStatus: 'WAITING_FOR_APPROVAL',
  }
  test.each<[string, Parameters<typeof findHistoryProblems>[1], RegExp | undefined]>([
    ['in order', [created, submitted], undefined],
    ['that leaps', [created, { ...submitted, version: 3 }], /leaps/],
    ['with a gap', [created, { ...submitted, fromStatus: 'REJECTED' }], /does not follow/],
    [
      'with an illegal step',
      [created, { ...submitted, action: 'approved', toStatus: 'SCHEDULED' }],
      /approved from DRAFT>SCHEDULED/,
    ],
    ['that runs backwards', [created, { ...submitted, at: '2026-11-20T08:59:59.999Z' }], /backwards/],
    ['without an acknowledged change', [{ ...created, actor: 'user:b' }], /the history says user:b created/],
  ])('%s', (_what, history, problem) => {
    const problems = findHistoryProblems(note(), history)
    if (problem === undefined) expect(problems).toEqual([])
    else expect(problems.join('\n')).toMatch(problem)
  })
})

test('a sequence is the same for the same seed and number, and differs for another', () => {
  expect(planSequence(7, 3, 'postgres')).toEqual(planSequence(7, 3, 'postgres'))
  expect(planSequence(7, 3, 'postgres').steps).not.toEqual(planSequence(7, 4, 'postgres').steps)
  expect(planSequence(7, 3, 'postgres').steps).not.toEqual(planSequence(8, 3, 'postgres').steps)
})
