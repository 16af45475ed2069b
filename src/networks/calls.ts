import type { ChannelType, PlatformLogin } from '../interface/generated/types.js'

/** The purposes of calls, in the order of docs/meta.md. */
export type Purpose = 'connect' | 'publish' | 'comments' | 'likes' | 'messages' | 'webhooks' | 'insights'

/** Publishing needs none of these. */
export const BEYOND_PUBLISHING = ['comments', 'likes', 'messages', 'webhooks'] as const satisfies readonly Purpose[]

export interface PlatformCall {
  of: ChannelType | 'AD_ACCOUNT'
  /** The login that issued the token; for an ad account it belongs to a person or a system user. */
  login: PlatformLogin
  for: Purpose
  /** Method and path; `{…}` stands for an id. */
  call: string
  /** The permissions that the token needs. */
  permissions: readonly string[]
  /** The platform's page about the call. */
  source: string
}

type Row = readonly [purpose: Purpose, call: string, permissions: string, source: string]

const DOCS = 'https://developers.facebook.com/docs'
const GRAPH = `${DOCS}/graph-api/reference`
const INSTAGRAM = `${DOCS}/instagram-platform`
const IG_USER = `${INSTAGRAM}/instagram-graph-api/reference/ig-user`
const MESSENGER = `${DOCS}/messenger-platform`

const PAGE: readonly Row[] = [
  ['connect', 'GET /me', '', `${GRAPH}/page`],
  ['connect', 'GET /app', '', `${GRAPH}/application`],
  ['connect', 'POST /', '', `${DOCS}/graph-api/batch-requests`],
  ['publish', 'POST /{page}/photos', 'pages_manage_posts', `${GRAPH}/page/photos`],
  ['publish', 'GET /{photo}', 'pages_read_engagement', `${GRAPH}/photo`],
  ['publish', 'POST /{page}/feed', 'pages_manage_posts', `${GRAPH}/page/feed`],
  ['publish', 'GET /{page}/feed', 'pages_read_engagement', `${GRAPH}/page/feed`],
  ['publish', 'GET /{post}', 'pages_read_engagement', `${GRAPH}/page-post`],
  ['publish', 'POST /{page}/videos', 'pages_manage_posts', `${GRAPH}/page/videos`],
  ['publish', 'GET /{page}/videos', 'pages_read_engagement', `${GRAPH}/page/videos`],
  ['publish', 'GET /{video}', 'pages_read_engagement', `${GRAPH}/video`],
  ['comments', 'GET /{post}/comments', 'pages_read_engagement pages_read_user_content', `${GRAPH}/object/comments`],
  ['comments', 'GET /{comment}', 'pages_read_engagement pages_read_user_content', `${GRAPH}/comment`],
  ['comments', 'POST /{comment}/comments', 'pages_manage_engagement', `${GRAPH}/object/comments`],
  ['likes', 'POST /{comment}/likes', 'pages_manage_engagement', `${GRAPH}/object/likes`],
  ['messages', 'POST /{page}/messages', 'pages_messaging', `${MESSENGER}/discovery/private-replies`],
  ['messages', 'GET /{person}', 'pages_messaging', `${MESSENGER}/identity/user-profile`],
  ['webhooks', 'GET /{page}/subscribed_apps', 'pages_manage_metadata', `${GRAPH}/page/subscribed_apps`],
  ['webhooks', 'POST /{page}/subscribed_apps', 'pages_manage_metadata', `${GRAPH}/page/subscribed_apps`],
]

const INSTAGRAM_BY_PAGE: readonly Row[] = [
  ['connect', 'GET /me', '', `${GRAPH}/page`],
  ['connect', 'GET /me/accounts', 'pages_show_list', `${GRAPH}/user/accounts`],
  ['connect', 'GET /app', '', `${GRAPH}/application`],
  ['connect', 'POST /', '', `${DOCS}/graph-api/batch-requests`],
  ['connect', 'GET /me/permissions', '', `${GRAPH}/user/permissions`],
  ['publish', 'GET /{account}', 'instagram_basic', IG_USER],
  [
    'publish',
    'GET /{account}/content_publishing_limit',
    'instagram_content_publish',
    `${IG_USER}/content_publishing_limit`,
  ],
  ['publish', 'POST /{account}/media', 'instagram_content_publish', `${IG_USER}/media`],
  [
    'publish',
    'GET /{container}',
    'instagram_content_publish',
    `${INSTAGRAM}/instagram-graph-api/reference/ig-container`,
  ],
  ['publish', 'POST /{account}/media_publish', 'instagram_content_publish', `${IG_USER}/media_publish`],
  ['publish', 'GET /{account}/media', 'instagram_basic', `${IG_USER}/media`],
  ['publish', 'GET /{media}', 'instagram_basic', `${INSTAGRAM}/instagram-graph-api/reference/ig-media`],
  ['comments', 'GET /{media}/comments', 'instagram_manage_comments', `${INSTAGRAM}/comment-moderation`],
  ['comments', 'POST /{comment}/replies', 'instagram_manage_comments', `${INSTAGRAM}/comment-moderation`],
  ['likes', 'POST /{account}/likes', 'instagram_manage_engagement', `${INSTAGRAM}/changelog`],
  [
    'messages',
    'POST /{page}/messages',
    'instagram_manage_messages pages_messaging',
    `${MESSENGER}/instagram/features/private-replies`,
  ],
  ['messages', 'GET /{person}', 'instagram_manage_messages', `${MESSENGER}/instagram/features/user-profile`],
  ['webhooks', 'GET /{page}/subscribed_apps', 'pages_manage_metadata', `${INSTAGRAM}/webhooks`],
  ['webhooks', 'POST /{page}/subscribed_apps', 'pages_manage_metadata', `${INSTAGRAM}/webhooks`],
]

const INSTAGRAM_LOGIN: readonly Row[] = [
  ['connect', 'GET /me', 'instagram_business_basic', `${INSTAGRAM}/instagram-api-with-instagram-login/get-started`],
  ['connect', 'GET /refresh_access_token', 'instagram_business_basic', `${INSTAGRAM}/reference/refresh_access_token`],
  [
    'connect',
    'GET /{account}/conversations',
    'instagram_business_manage_messages',
    `${INSTAGRAM}/instagram-api-with-instagram-login/conversations-api`,
  ],
  [
    'publish',
    'GET /{account}/content_publishing_limit',
    'instagram_business_content_publish',
    `${INSTAGRAM}/content-publishing`,
  ],
  ['publish', 'POST /{account}/media', 'instagram_business_content_publish', `${INSTAGRAM}/content-publishing`],
  ['publish', 'GET /{container}', 'instagram_business_content_publish', `${INSTAGRAM}/content-publishing`],
  ['publish', 'POST /{account}/media_publish', 'instagram_business_content_publish', `${INSTAGRAM}/content-publishing`],
  ['publish', 'GET /{account}/media', 'instagram_business_basic', `${IG_USER}/media`],
  ['publish', 'GET /{media}', 'instagram_business_basic', `${INSTAGRAM}/instagram-graph-api/reference/ig-media`],
  ['comments', 'GET /{media}/comments', 'instagram_business_manage_comments', `${INSTAGRAM}/comment-moderation`],
  ['comments', 'POST /{comment}/replies', 'instagram_business_manage_comments', `${INSTAGRAM}/comment-moderation`],
  ['messages', 'POST /{account}/messages', 'instagram_business_manage_messages', `${INSTAGRAM}/private-replies`],
  [
    'messages',
    'GET /{person}',
    'instagram_business_manage_messages',
    `${INSTAGRAM}/instagram-api-with-instagram-login/messaging-api`,
  ],
  ['webhooks', 'GET /{account}/subscribed_apps', 'instagram_business_basic', `${INSTAGRAM}/webhooks`],
  ['webhooks', 'POST /{account}/subscribed_apps', 'instagram_business_basic', `${INSTAGRAM}/webhooks`],
]

const AD_ACCOUNT: readonly Row[] = [
  ['connect', 'GET /app', '', `${GRAPH}/application`],
  ['connect', 'POST /', '', `${DOCS}/graph-api/batch-requests`],
  ['connect', 'GET /me/permissions', '', `${GRAPH}/user/permissions`],
  ['insights', 'GET /act_{account}', 'ads_read', `${DOCS}/marketing-api/reference/ad-account`],
  ['insights', 'GET /act_{account}/campaigns', 'ads_read', `${DOCS}/marketing-api/reference/ad-account/campaigns`],
  ['insights', 'GET /{campaign}', 'ads_read', `${DOCS}/marketing-api/reference/ad-campaign-group`],
  ['insights', 'GET /{campaign}/insights', 'ads_read', `${DOCS}/marketing-api/reference/ad-campaign-group/insights`],
]

const calls = (of: PlatformCall['of'], login: PlatformLogin, rows: readonly Row[]): PlatformCall[] =>
  rows.map(([purpose, call, permissions, source]) => {
    return { of, login, for: purpose, call, permissions: permissions.split(' ').filter(Boolean), source }
  })

/**
 * Every call that the program makes to the platform. docs/meta.md is this table, the permissions that connecting asks for
 * follow from it, and the tests make no other call.
 */
export const PLATFORM_CALLS: readonly PlatformCall[] = [
  ...calls('FB_PAGE', 'facebook', PAGE),
  ...calls('INSTAGRAM_ACCOUNT', 'facebook', INSTAGRAM_BY_PAGE),
  ...calls('INSTAGRAM_ACCOUNT', 'instagram', INSTAGRAM_LOGIN),
  ...calls('AD_ACCOUNT', 'facebook', AD_ACCOUNT),
]

/** Returns the permissions that a channel's token needs for these purposes, each with the purposes that need it. */
export function permissionsFor<For extends Purpose>(
  type: ChannelType,
  login: PlatformLogin,
  purposes: readonly For[],
): Map<string, For[]> {
  const needed = new Map<string, For[]>()
  for (const { of, login: by, for: purpose, permissions } of PLATFORM_CALLS) {
    const named = purposes.find((one) => one === purpose)
    if (of !== type || by !== login || named === undefined) continue
    for (const permission of permissions) {
      needed.set(permission, [...new Set([...(needed.get(permission) ?? []), named])])
    }
  }
  return needed
}
