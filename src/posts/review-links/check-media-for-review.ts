import { ok, operation } from '../../http/operation.js'
import { checkMedia, UPLOAD } from '../outside-media.js'
import { mediaCheckBody } from '../scheduled-post.js'
import { requireScheduledPost } from '../scheduled-posts.store.js'
import { linkedPostParams, requireOpenLinkedPost } from './linked-posts.js'
import { byLink } from './review-link.js'

/** Check the media of one post of a link. */
export const checkMediaForReview = operation({
  ...byLink,
  operationId: 'checkMediaForReview',
  summary: 'Fetch media at an address outside, and say whether an approval can fix them.',
  description:
    'For the page of the link: it warns if the owner of the address can still replace the picture or video after the approval. Idempotent, and stores nothing. Costs a fetch of the media, of 10 seconds at most.',
  route: 'POST /posts/{number}/check-media',
  answers: [200, 400, 404],
  params: linkedPostParams,
  success: mediaCheckBody,
  async handle(call, { config, database }) {
    const id = await requireOpenLinkedPost(call, database)
    const { media } = await requireScheduledPost(database, call.principal.organizationId, id)
    return ok((await checkMedia(config, media)) ?? UPLOAD)
  },
})
