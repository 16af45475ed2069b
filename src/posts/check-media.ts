import { ok, operation } from '../http/operation.js'
import { checkMedia, UPLOAD } from './outside-media.js'
import { mediaCheckBody } from './scheduled-post.js'
import { requireScheduledPost } from './scheduled-posts.store.js'

/** Fetch the media of a post now, and say whether an approval can fix them. Stores nothing. */
export const checkPostMedia = operation({
  operationId: 'checkPostMedia',
  summary: 'Fetch media at an address outside, and say whether an approval can fix them.',
  description:
    'For the page on which a person decides: it says so where the owner of the address can still replace the picture or video after the approval. An upload to this server is fixed, and is not fetched. Idempotent, and stores nothing. Costs a fetch of the media, of 10 seconds at most.',
  route: 'POST /scheduled-posts/{scheduledPostId}/check-media',
  permission: 'posts:approve',
  inChannels: 'anywhere',
  answers: [200, 404],
  success: mediaCheckBody,
  async handle({ params: { scheduledPostId }, principal }, { config, database }) {
    const { media } = await requireScheduledPost(database, principal.organizationId, scheduledPostId)
    return ok((await checkMedia(config, media)) ?? UPLOAD)
  },
})
