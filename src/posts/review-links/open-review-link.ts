import Joi from 'joi'
import { noteOpened } from '../../access/review-links/review-links.store.js'
import { ok, operation } from '../../http/operation.js'
import { byLink, requireGrant } from './review-link.js'

/**
 * Notes that the holder has opened the link. Reading does not note it: a program that opens the links of a mail reads
 * the page too, and the person who made the link must not take it for the holder.
 */
export const openReviewLink = operation({
  ...byLink,
  operationId: 'openReviewLink',
  summary: 'Note that the holder of a link to posts has opened it.',
  description:
    'For the button of the page that the link opens. The person who made the link sees when it was last opened; it changes nothing else. Costs one small write.',
  route: 'POST /open',
  answers: [200],
  success: Joi.object({}),
  async handle({ principal }, { clock, database }) {
    await noteOpened(database, principal.organizationId, requireGrant(principal).id, new Date(clock.now()))
    return ok({})
  },
})
