import Joi from 'joi'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { idOfActor } from '../http/principal.js'
import { namedPostBody } from '../inbox/inbox.js'
import type { WaitingForMe } from '../interface/generated/types.js'
import { findRefusals } from './four-eyes.js'
import { listWaitingRows } from './news.store.js'

const SHOWN_MAX = 50
const LOOKED_AT_MAX = 200

/** The posts that wait for the caller: those that wait for approval, without those that another person must approve. */
export const listWaitingForMe = operation({
  operationId: 'listWaitingForMe',
  summary: 'List the posts that wait for your approval, soonest first.',
  description: `For a person who may approve: the posts in whose channels they may approve, and of which the rule of four eyes lets them decide now. It looks at the ${LOOKED_AT_MAX} that are due first, and lists ${SHOWN_MAX} of them at most. Nothing of it is stored. Costs a read of the histories of the posts that wait.`,
  route: 'GET /waiting-for-me',
  permission: 'posts:approve',
  inChannels: 'anywhere',
  answers: [200],
  success: namedObject('WaitingForMe', {
    items: Joi.array().items(namedPostBody).required(),
    count: Joi.number().integer().required().description('How many there are, of those that were looked at.'),
    mayHaveMore: Joi.boolean().required().description('More posts wait than were looked at.'),
  }),
  async handle({ principal, meter }, { database, clock }) {
    const { channels, organizationId, actor } = principal
    // Only members with roles by channel pay for the question whose posts they are.
    const approver = channels === undefined ? null : idOfActor(actor)
    const found = await listWaitingRows(database, organizationId, { rows: LOOKED_AT_MAX + 1, approver })
    const waiting = found.slice(0, LOOKED_AT_MAX)
    const ids = waiting.map(({ id }) => id)
    const refusals = await findRefusals(database, principal, ids, new Date(clock.now()))
    const mine = waiting.filter((_, index) => refusals[index] === undefined)
    meter.rows = mine.length
    const items = mine.slice(0, SHOWN_MAX).map(({ id, text, scheduled_for: at }) => ({
      ...{ id, text, status: 'WAITING_FOR_APPROVAL' as const },
      ...(at === null ? {} : { scheduledFor: at.toISOString() }),
    }))
    return ok({ items, count: mine.length, mayHaveMore: found.length > waiting.length } satisfies WaitingForMe)
  },
})
