import Joi from 'joi'
import { changeAudited } from '../../access/audited-change.js'
import { ApiError } from '../../errors.js'
import { namedObject } from '../../http/named.js'
import { ok, operation } from '../../http/operation.js'
import { drawKeyOf, orderByLot } from '../../lib/raffle-proof.js'
import { requireScheduledPost } from '../../posts/scheduled-posts.store.js'
import { findLastRank, insertRedraw, isStanding, lockDrawnRaffle } from './draw.store.js'
import { readEntrants } from './entrants.store.js'
import { redrawBody, toBeaconValue } from './raffle-body.js'

const rank = Joi.number().integer().min(1).max(2_147_483_647).required()

/** Let the next rank win in the place of one. A repeat is refused: the rank that it names does not stand any more. */
export const redrawRaffle = operation({
  operationId: 'redrawRaffle',
  summary: 'Let the next rank of a raffle win in the place of one that cannot, with the reason.',
  description:
    'For a winner who may not win, or whom nobody reaches. The next rank follows from the seed and the value of the beacon that the draw was made with: nobody can choose it. The new winner is told as the others were. Costs one read of the entrants.',
  route: 'POST /scheduled-posts/{scheduledPostId}/raffles/{channelId}/redraw',
  permission: 'automation:manage',
  answers: [200, 404, 409],
  body: namedObject('RaffleRedrawRequest', {
    rank: rank.description('The rank of a winner who stands.'),
    reason: Joi.string().trim().max(500).required().description('Why the winner cannot win. The raffle shows it.'),
  }),
  success: redrawBody,
  async handle({ params: { scheduledPostId, channelId }, body, principal }, context) {
    const { organizationId } = principal
    const { rank: replaces, reason } = body
    await requireScheduledPost(context.database, organizationId, scheduledPostId)
    const post = { organization_id: organizationId, scheduled_post_id: scheduledPostId, channel_id: channelId }
    const at = new Date(context.clock.now())
    const newRank = await changeAudited(context, principal, 'redrawRaffle', async (tx, record) => {
      const raffle = await lockDrawnRaffle(tx, post)
      if (raffle === undefined) throw new ApiError('raffle_not_drawn')
      if (!(await isStanding(tx, post, replaces))) throw new ApiError('winner_not_found')
      const last = await findLastRank(tx, post)
      const entrant = (await orderByLot(drawKeyOf(raffle.seed, toBeaconValue(raffle)), await readEntrants(tx, post)))[
        last
      ]
      if (entrant === undefined) throw new ApiError('nobody_left')
      await insertRedraw(tx, post, { rank: last + 1, entrant, replaces, reason, at })
      await record('superpower', `${scheduledPostId}/${channelId}`, { rank: replaces, newRank: last + 1, reason })
      return last + 1
    })
    return ok({ rank: replaces, newRank, reason, at: at.toISOString() })
  },
})
