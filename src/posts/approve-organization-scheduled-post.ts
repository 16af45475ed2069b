import { requireOrganization } from '../access/organizations.store.js'
import { operatorOperation } from '../http/operation.js'
import { organizationPostParams } from '../http/params.js'
import { changePost } from './change-post.js'
import { ifMatchHeader } from './etag.js'
import { scheduledPostBody, toPostAnswer } from './scheduled-post.js'

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
