import Joi from 'joi'
import { channelTypeSchema } from '../channels/channel.js'
import { named, namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { oneOf, utcInstant } from '../http/params.js'
import { COMMENT_REASONS } from '../interface/automation.js'
import type { CommentToExplain, ExplainedComment, ExplainRequest } from '../interface/generated/types.js'
import { newId } from '../lib/ids.js'
import { createTurns } from '../lib/turns.js'
import { commentEffectBody } from './comment-effect.js'
import { type Answered, createChance, decide, findGroup, NOBODY } from './decision.js'
import { listNotExecuted } from './not-executed.js'
import { parseRule, type Rule } from './rule.js'
import { superpowerSchema } from './superpower-schema.js'
import { listWarnings } from './warnings.js'

const explainedBody = namedObject('ExplainedComment', {
  commentId: Joi.string().required(),
  text: Joi.string().allow('').required(),
  group: Joi.number().integer().allow(null).required(),
  reason: oneOf(COMMENT_REASONS).required(),
  entersRaffle: Joi.boolean().required(),
  effects: Joi.array().items(commentEffectBody).required(),
})

const notExecutedBody = namedObject('NotExecuted', {
  path: Joi.string().required().description('For example `conditionGroups[0].conditions[1].aiValues`.'),
  reason: Joi.string().required(),
})

const EXPLAINED_COMMENTS_MAX = 200

/** Explain what a superpower would do about given comments. Stores nothing and sends nothing. */
export const explainSuperpower = operation({
  operationId: 'explainSuperpower',
  summary:
    'Explain what a superpower would do about comments, and which of its parts are not executed. Nothing is stored or sent.',
  description:
    'Use it to try a superpower before it is approved. The comments are taken in order of their time, and limits apply among them. If a comment has an id, chance decides as it would for the real comment. Reads nothing.',
  route: 'POST /superpowers/explain',
  surfaces: ['v1', 'api'],
  permission: 'superpowers:read',
  answers: [200],
  body: namedObject('ExplainRequest', {
    superpower: superpowerSchema.required(),
    channelType: channelTypeSchema.required(),
    comments: Joi.array()
      .items(
        namedObject('CommentToExplain', {
          commentId: Joi.string().max(200),
          text: Joi.string().allow('').max(10_000).required(),
          from: named('CommentAuthorToExplain', Joi.object({ id: Joi.string().max(200), name: Joi.string().max(200) })),
          at: utcInstant.description('Default: now.'),
        }),
      )
      .max(EXPLAINED_COMMENTS_MAX)
      .required(),
  }),
  success: namedObject('Explanation', {
    comments: Joi.array().items(explainedBody).required(),
    notExecuted: Joi.array().items(notExecutedBody).required(),
    warnings: Joi.array().items(Joi.string()).required(),
  }),
  async handle({ body, meter }, { clock, chanceKey }) {
    const { superpower, channelType } = body
    const rule = parseRule(superpower)
    meter.rows = body.comments.length
    return ok({
      comments: await explainComments(rule, body, { channelType, chanceKey, nowMs: clock.now() }),
      notExecuted: listNotExecuted(superpower),
      warnings: listWarnings(superpower, rule),
    })
  },
})

interface Turn extends Pick<ExplainRequest, 'channelType'> {
  chanceKey: Buffer
  nowMs: number
}

/** Explains comments in the order given; limits count in the order of time. */
async function explainComments(
  rule: Rule,
  { comments }: ExplainRequest,
  { channelType, chanceKey, nowMs }: Turn,
): Promise<ExplainedComment[]> {
  const takeTurn = createTurns()
  const answered = createCounter()
  const privatelyAnswered = new Set<string>()
  const explained = new Map<CommentToExplain, ExplainedComment>()
  const atMsOf = ({ at }: CommentToExplain): number => (at === undefined ? nowMs : Date.parse(at))
  for (const comment of [...comments].sort((a, b) => atMsOf(a) - atMsOf(b))) {
    const { commentId = newId('comment'), text, from = {} } = comment
    // Each comment without a name comes from a different person.
    const personId = from.id ?? from.name ?? commentId
    const isInstagram = channelType === 'INSTAGRAM_ACCOUNT'
    const name = from.name ?? null
    const atMs = atMsOf(comment)
    const group = findGroup(rule, text)
    const decision = decide(
      rule,
      {
        ...{ id: commentId, text, atMs, personId },
        personName: isInstagram ? null : name,
        username: isInstagram ? (name?.replace(/^@/, '') ?? null) : null,
      },
      {
        // A comment of the past is explained as of its own time.
        ...{ channelType, nowMs: atMs, notice: null },
        chance: createChance(chanceKey, commentId),
        group: group === undefined ? NOBODY : answered.at(group.place, personId),
        everyone: answered.at(EVERYONE, personId),
        hasPrivateReply: privatelyAnswered.has(personId),
      },
    )
    if (decision.reason === 'matched') {
      for (const place of [decision.group!, EVERYONE]) answered.add(place, personId, atMs)
    }
    if (decision.effects.some(({ effect, state }) => effect === 'private_reply' && state === 'planned')) {
      privatelyAnswered.add(personId)
    }
    explained.set(comment, {
      ...{ commentId, text, group: decision.group, reason: decision.reason, entersRaffle: decision.entersRaffle },
      effects: decision.effects.map(({ effect, state, reason, dueAtMs, reply }) => ({
        ...{ effect, state, reason },
        at: new Date(dueAtMs).toISOString(),
        text: reply?.text ?? null,
      })),
    })
    await takeTurn()
  }
  return comments.map((comment) => explained.get(comment)!)
}

const EVERYONE = -1

/** Counts the people answered at each place. */
function createCounter(): {
  at(place: number, personId: string): Answered
  add(place: number, personId: string, atMs: number): void
} {
  const places = new Map<number, Map<string, number>>()
  return {
    at(place, personId) {
      const people = places.get(place)
      const lastAtMs = people?.get(personId) ?? null
      return { people: people?.size ?? 0, includesPerson: lastAtMs !== null, lastAtMs }
    },
    add(place, personId, atMs) {
      const people = places.get(place) ?? new Map<string, number>()
      places.set(place, people.set(personId, atMs))
    },
  }
}
