import Joi from 'joi'

/** The parts of the operator's paths. */
export interface OrganizationParams {
  organizationId: string
}
export interface ChannelParams extends OrganizationParams {
  channelId: string
}
export interface WorkspaceChannelParams extends ChannelParams {
  workspaceId: string
}

export interface OrganizationPostParams extends OrganizationParams {
  scheduledPostId: string
}

const id = Joi.string().required()

export const organizationParams = Joi.object<OrganizationParams, true>({ organizationId: id })
export const channelParams = Joi.object<ChannelParams, true>({ organizationId: id, channelId: id })
export const workspaceChannelParams = Joi.object<WorkspaceChannelParams, true>({
  organizationId: id,
  workspaceId: id,
  channelId: id,
})
export const conversationParams = Joi.object<WorkspaceChannelParams & { conversationId: string }, true>({
  organizationId: id,
  workspaceId: id,
  channelId: id,
  conversationId: id,
})

export const organizationPostParams = Joi.object<OrganizationPostParams, true>({
  organizationId: id,
  scheduledPostId: id,
})

/** A name for people. */
export const nameSchema = Joi.string().max(200)

/** A token of the ad platform. What is wrong with it is told without it. */
export const accessTokenSchema = Joi.string()
  .max(4096)
  .error((errors) => {
    for (const { local } of errors) delete local.value
    return errors
  })

/** Goes with a token: whether the platform is asked about it first. */
export const checkTokenSchema = Joi.boolean().description(
  '`false` stores the access token without asking the platform about it; `true` unless said.',
)
