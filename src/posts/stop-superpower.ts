import Joi from 'joi'
import { changeAudited } from '../audit/audited-change.js'
import { namedObject } from '../http/named.js'
import { ok, operation } from '../http/operation.js'
import { recordEvent } from '../news/events.store.js'
import { insertStop, requireSuperpower } from './superpower-stops.store.js'

/** Permanently stop the superpower of a post on one channel. The first stop counts; a repeat returns it. */
export const stopSuperpower = operation({
  operationId: 'stopSuperpower',
  summary: 'Permanently stop the superpower of a post on a channel, and release its hashtag.',
  description:
    'Use it if the superpower should stop answering. Planned answers are skipped, and a running call finishes. It cannot be restarted. Idempotent. Costs one small transaction.',
  route: 'POST /scheduled-posts/{scheduledPostId}/superpowers/{channelId}/stop',
  permission: 'automation:manage',
  answers: [200, 404],
  body: namedObject('SuperpowerStop', {
    reason: Joi.string()
      .trim()
      .max(500)
      .required()
      .description('Why it stops. The report of the post shows the reason.'),
  }),
  success: namedObject('StoppedSuperpower', {
    scheduledPostId: Joi.string().required(),
    channelId: Joi.string().required(),
    stoppedAt: Joi.string().isoDate().required(),
    reason: Joi.string().required(),
  }),
  async handle({ params: { scheduledPostId, channelId }, body: { reason }, principal }, context) {
    const { organizationId, actor } = principal
    const key = { organizationId, scheduledPostId, channelId }
    const stop = await changeAudited(context, principal, 'stopSuperpower', async (tx, record) => {
      await requireSuperpower(tx, key)
      const at = new Date(context.clock.now())
      const stored = await insertStop(tx, key, { reason, at, actor })
      if (stored.isNew) {
        await record('superpower', `${scheduledPostId}/${channelId}`, { reason })
        await recordEvent(tx, { organizationId, type: 'superpower.stopped', at, data: { scheduledPostId, channelId } })
      }
      return stored
    })
    return ok({ scheduledPostId, channelId, stoppedAt: stop.stopped_at.toISOString(), reason: stop.reason })
  },
})
