import { BadRequest } from './answers.js'

/** The permissions of the Facebook login. */
export const FACEBOOK_SCOPES = [
  'ads_management',
  'ads_read',
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
  'instagram_manage_engagement',
  'instagram_manage_messages',
  'pages_manage_engagement',
  'pages_manage_metadata',
  'pages_manage_posts',
  'pages_messaging',
  'pages_read_engagement',
  'pages_read_user_content',
  'pages_show_list',
  'read_insights',
] as const

/** The permissions of the Instagram login. */
export const INSTAGRAM_SCOPES = [
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
  'instagram_business_manage_messages',
] as const

/** The permissions that the sandbox knows; by default a token has all those of its login. */
export const ALL_SCOPES = [...FACEBOOK_SCOPES, ...INSTAGRAM_SCOPES] as const

export type Scope = (typeof ALL_SCOPES)[number]

/** The platform's refusal of a token without the permission. */
export const missingPermission = (scope: Scope): BadRequest =>
  new BadRequest(`The permission ${scope} has not been granted`, 200)

export function requireScope({ scopes }: { scopes: readonly string[] }, scope: Scope): void {
  // A scope that manages ads can also read them.
  const isImplied = scope === 'ads_read' && scopes.includes('ads_management')
  if (!scopes.includes(scope) && !isImplied) throw missingPermission(scope)
}
