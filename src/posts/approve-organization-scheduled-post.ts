import { operatorOperation } from '../http/operation.js'
import { changePost } from '../scheduled-posts/change-post.js'
import { ifMatchHeader } from '../scheduled-posts/etag.js'
import { scheduledPostBody, toPostAnswer } from '../scheduled-posts/scheduled-post.js'
import { requireOrganization } from './organizations.store.js'
import { organizationPostParams } from './params.js'

/** Approve a post: a human's decision, from which on it is published at its time. */
export const approveOrganizationScheduledPost = operatorOperation({
  operationId: 'approveOrganizationScheduledPost',
  summary: 'Approve a post that waits for approval: it is published at its time.',
  method: 'POST',
  path: '/organizations/{organizationId}/scheduled-posts/{scheduledPostId}/approve',
  answers: [200, 400, 401, 404, 412, 422],
  params: organizationPostParams,
  headers: ifMatchHeader,
  success: scheduledPostBody,
  async handle({ params, headers }, context) {
    await requireOrganization(context.database, params.organizationId)
    const target = { ...params, ifMatch: headers['if-match'], actor: 'operator' } as const
    return toPostAnswer(await changePost(context, target, { trigger: 'approve', action: 'approved' }))
  },
})
