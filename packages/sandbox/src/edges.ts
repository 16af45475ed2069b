import type { Scope } from './scopes.js'

/** The two hosts that one sandbox replaces. The second is below `/instagram`. */
export type Host = 'graph.facebook.com' | 'graph.instagram.com'

/** The kind of a token: of a page, of a person or system user, of the app, or of an Instagram account by its own login. */
export type TokenKind = 'page' | 'user' | 'app' | 'instagram'

/** The kinds of objects, by the names in the platform's refusals. `Root` has edges that belong to no object. */
export type NodeType =
  | 'Root'
  | 'Application'
  | 'User'
  | 'Page'
  | 'Post'
  | 'Video'
  | 'Photo'
  | 'Comment'
  | 'UserProfile'
  | 'IGUser'
  | 'IGMedia'
  | 'IGContainer'
  | 'IGComment'
  | 'IGProfile'
  | 'AdAccount'
  | 'Campaign'
  | 'Ad'

type Method = 'GET' | 'POST' | 'DELETE'

/** A row of the platform's interface: a call on a kind of object. */
export interface Edge {
  method: Method
  node: NodeType
  /** Empty for the object itself. */
  edge: string
  tokens: readonly TokenKind[]
  host: Host
  /** A token needs all of them. */
  scopes: readonly Scope[]
  /** The version that introduced it, or the day since which every version has it. */
  since?: string
  until?: string
  /** Its source: a page of Meta's documentation, or a file of Meta's SDK for Python. */
  source: string
}

const DOCS = 'https://developers.facebook.com/docs/'
const PLATFORM = 'https://developers.facebook.com/documentation/'
const SDK = 'github.com/facebook/facebook-python-business-sdk: facebook_business/adobjects/'

type Row = readonly [methods: string, node: NodeType, edge: string, scopes: readonly Scope[], source: string]

/** Makes rows with the same tokens; `GET POST` makes two. */
const rows = (tokens: readonly TokenKind[], listed: readonly Row[], bounds: { since?: string } = {}): Edge[] =>
  listed.flatMap(([methods, node, edge, scopes, source]) =>
    methods.split(' ').map((method) => ({
      ...{ method: method as Method, node, edge, tokens, scopes, source, ...bounds },
      host: tokens.includes('instagram') ? ('graph.instagram.com' as const) : ('graph.facebook.com' as const),
    })),
  )

const READS_PAGE: readonly Scope[] = ['pages_read_engagement']
const POSTS: readonly Scope[] = ['pages_manage_posts', 'pages_read_engagement']
const READS_COMMENTS: readonly Scope[] = ['pages_read_engagement', 'pages_read_user_content']
const ENGAGES: readonly Scope[] = ['pages_manage_engagement']
const PUBLISHES: readonly Scope[] = ['instagram_basic', 'instagram_content_publish']
const MODERATES: readonly Scope[] = ['instagram_basic', 'instagram_manage_comments']
const BUSINESS: readonly Scope[] = ['instagram_business_basic']
const BUSINESS_PUBLISHES: readonly Scope[] = ['instagram_business_basic', 'instagram_business_content_publish']
const BUSINESS_MODERATES: readonly Scope[] = ['instagram_business_basic', 'instagram_business_manage_comments']
const BUSINESS_WRITES: readonly Scope[] = ['instagram_business_basic', 'instagram_business_manage_messages']

/** Every call that the sandbox supports. The rest is refused as the platform refuses it. */
export const EDGES: readonly Edge[] = [
  // These edges belong to no object or to the token's own object.
  ...rows(
    ['page', 'user', 'app'],
    [
      ['POST', 'Root', '', [], `${DOCS}graph-api/batch-requests`],
      ['GET', 'Root', 'debug_token', [], `${DOCS}graph-api/reference/debug_token`],
      ['GET', 'Application', '', [], `${DOCS}graph-api/reference/application`],
    ],
  ),
  ...rows(
    ['user'],
    [
      ['GET', 'User', '', [], `${SDK}user.py`],
      ['GET', 'User', 'permissions', [], `${SDK}user.py`],
      ['GET', 'User', 'accounts', ['pages_show_list'], `${DOCS}graph-api/reference/user/accounts`],
      ['GET', 'AdAccount', '', ['ads_read'], `${SDK}adaccount.py`],
      ['GET', 'AdAccount', 'campaigns', ['ads_read'], `${SDK}adaccount.py`],
      ['GET', 'Campaign', '', ['ads_read'], `${SDK}campaign.py`],
      ['GET', 'Campaign', 'insights', ['ads_read'], `${SDK}campaign.py`],
      ['GET', 'Ad', '', ['ads_read'], `${SDK}ad.py`],
      ['GET', 'Ad', 'insights', ['ads_read'], `${SDK}ad.py`],
    ],
  ),
  // Facebook login: a page, by its own token.
  ...rows(
    ['page', 'user'],
    [
      ['GET', 'Page', '', [], `${DOCS}graph-api/reference/page`],
      ['GET', 'Photo', '', READS_PAGE, `${DOCS}graph-api/reference/photo`],
    ],
  ),
  ...rows(
    ['page'],
    [
      ['GET', 'Page', 'feed', READS_PAGE, `${DOCS}graph-api/reference/page/feed`],
      ['GET', 'Page', 'videos', READS_PAGE, `${DOCS}graph-api/reference/page/videos`],
      ['GET', 'Page', 'insights', ['read_insights', 'pages_read_engagement'], `${DOCS}graph-api/reference/insights`],
      ['POST', 'Page', 'feed', POSTS, `${DOCS}graph-api/reference/page/feed`],
      ['POST', 'Page', 'photos', POSTS, `${DOCS}graph-api/reference/page/photos`],
      ['POST', 'Page', 'videos', POSTS, `${DOCS}graph-api/reference/page/videos`],
      ['POST', 'Page', 'messages', ['pages_messaging'], `${SDK}page.py`],
      [
        'GET POST DELETE',
        'Page',
        'subscribed_apps',
        ['pages_manage_metadata'],
        `${DOCS}graph-api/reference/page/subscribed_apps`,
      ],
      ['GET', 'UserProfile', '', ['pages_messaging'], `${PLATFORM}business-messaging/messenger-platform/user-profile`],
      ['GET', 'Post', '', READS_PAGE, `${DOCS}graph-api/reference/page-post`],
      ['GET', 'Video', '', READS_PAGE, `${DOCS}graph-api/reference/video`],
      ['GET', 'Post', 'comments', READS_COMMENTS, `${SDK}pagepost.py`],
      ['GET', 'Video', 'comments', READS_COMMENTS, `${SDK}advideo.py`],
      ['POST', 'Post', 'comments', ENGAGES, `${SDK}pagepost.py`],
      ['GET', 'Comment', '', READS_COMMENTS, `${DOCS}graph-api/reference/comment`],
      ['GET', 'Comment', 'comments', READS_COMMENTS, `${SDK}comment.py`],
      ['POST', 'Comment', 'comments', ENGAGES, `${SDK}comment.py`],
      ['POST', 'Comment', 'likes', ENGAGES, `${SDK}comment.py`],
      // Without an edge, this edits the comment itself, which a customer wrote.
      ['POST DELETE', 'Comment', '', ENGAGES, `${DOCS}graph-api/reference/comment`],
    ],
  ),
  // Facebook login: the Instagram account of a page, by a token of the page or of a person who manages it.
  ...rows(
    ['page', 'user'],
    [
      ['GET', 'IGUser', '', ['instagram_basic'], `${SDK}iguser.py`],
      [
        'GET',
        'IGUser',
        'media',
        ['instagram_basic'],
        `${DOCS}instagram-platform/instagram-graph-api/reference/ig-user/media`,
      ],
      ['POST', 'IGUser', 'media', PUBLISHES, `${SDK}iguser.py`],
      ['POST', 'IGUser', 'media_publish', PUBLISHES, `${SDK}iguser.py`],
      ['GET', 'IGUser', 'content_publishing_limit', PUBLISHES, `${SDK}iguser.py`],
      ['GET', 'IGContainer', '', PUBLISHES, `${DOCS}instagram-platform/instagram-graph-api/reference/ig-container`],
      ['GET', 'IGMedia', '', ['instagram_basic'], `${SDK}igmedia.py`],
      ['GET POST', 'IGMedia', 'comments', MODERATES, `${SDK}igmedia.py`],
      ['GET POST DELETE', 'IGComment', '', MODERATES, `${SDK}igcomment.py`],
      ['GET POST', 'IGComment', 'replies', MODERATES, `${SDK}igcomment.py`],
    ],
  ),
  ...rows(
    ['page', 'user'],
    [
      [
        'POST DELETE',
        'IGUser',
        'likes',
        ['instagram_basic', 'instagram_manage_engagement'],
        `${PLATFORM}instagram-platform/instagram-graph-api/reference/ig-user/user-likes`,
      ],
    ],
    { since: '2026-04-22' },
  ),
  ...rows(
    ['page'],
    [
      [
        'GET',
        'IGProfile',
        '',
        ['instagram_basic', 'instagram_manage_messages'],
        `${DOCS}messenger-platform/instagram/features/user-profile`,
      ],
    ],
  ),
  // Instagram login: the account itself, by its own token.
  ...rows(
    ['instagram'],
    [
      ['GET', 'Root', 'refresh_access_token', BUSINESS, `${DOCS}instagram-platform/reference/refresh_access_token`],
      ['GET', 'IGUser', '', BUSINESS, `${PLATFORM}instagram-platform/reference/me`],
      ['GET', 'IGUser', 'media', BUSINESS, `${DOCS}instagram-platform/instagram-graph-api/reference/ig-user/media`],
      ['POST', 'IGUser', 'media', BUSINESS_PUBLISHES, `${DOCS}instagram-platform/content-publishing`],
      ['POST', 'IGUser', 'media_publish', BUSINESS_PUBLISHES, `${DOCS}instagram-platform/content-publishing`],
      ['GET', 'IGUser', 'content_publishing_limit', BUSINESS_PUBLISHES, `${DOCS}instagram-platform/content-publishing`],
      ['GET', 'IGContainer', '', BUSINESS_PUBLISHES, `${DOCS}instagram-platform/content-publishing`],
      ['GET', 'IGMedia', '', BUSINESS, `${DOCS}instagram-platform/reference/instagram-media`],
      ['GET POST', 'IGMedia', 'comments', BUSINESS_MODERATES, `${DOCS}instagram-platform/comment-moderation`],
      ['GET POST DELETE', 'IGComment', '', BUSINESS_MODERATES, `${DOCS}instagram-platform/comment-moderation`],
      ['GET POST', 'IGComment', 'replies', BUSINESS_MODERATES, `${DOCS}instagram-platform/comment-moderation`],
      ['POST', 'IGUser', 'messages', BUSINESS_WRITES, `${PLATFORM}instagram-platform/private-replies`],
      [
        'GET',
        'IGUser',
        'conversations',
        BUSINESS_WRITES,
        `${DOCS}instagram-platform/instagram-api-with-instagram-login/conversations-api`,
      ],
      ['GET POST DELETE', 'IGUser', 'subscribed_apps', BUSINESS, `${PLATFORM}instagram-platform/webhooks/setup`],
      [
        'GET',
        'IGProfile',
        '',
        BUSINESS_WRITES,
        `${DOCS}instagram-platform/instagram-api-with-instagram-login/messaging-api`,
      ],
    ],
  ),
]

/** These belong to the Marketing API, whose versions are supported for a shorter time. */
export const MARKETING_NODES: ReadonlySet<NodeType> = new Set(['AdAccount', 'Campaign', 'Ad'])

/** The code with which a page's edge refuses a person's token; 210 if not listed. */
export const PAGE_TOKEN_CODES: Readonly<Record<string, 190 | 200>> = {
  'GET Page/feed': 190,
  'GET Page/videos': 190,
  'POST Page/messages': 190,
  'POST Page/feed': 200,
  'POST Page/photos': 200,
  'POST Page/videos': 200,
}

/** The name of a row in other tables and errors. */
export const nameOf = ({ method, node, edge }: Pick<Edge, 'method' | 'node' | 'edge'>): string =>
  `${method} ${node}/${edge}`
