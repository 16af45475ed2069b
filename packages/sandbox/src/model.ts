import type { SandboxAnswer } from './answers.js'
import { addDays } from './lib/dates.js'
import { type SeededRandom, seededRandom } from './lib/seeded-random.js'

/** The platform's data. It is plain data: a test may change it while the sandbox runs. */
export interface SandboxModel {
  /** If it is set, every call must carry an appsecret_proof made with it. */
  appSecret?: string
  /** Maps an access token to the ids of the ad accounts that it may read. */
  tokens: Record<string, string[]>
  /** Properties of a token that differ from the defaults. */
  tokenDetails?: Record<string, SandboxTokenDetails>
  adAccounts: SandboxAdAccount[]
  /** Pages and Instagram accounts to publish to. */
  pages?: SandboxPage[]
}

export interface SandboxTokenDetails {
  /** The granted permissions; by default all that the sandbox knows. */
  scopes?: string[]
  /** The pages for which a permission is granted; by default only the token's own page. */
  grantedFor?: Record<string, string[]>
  /** Milliseconds since the epoch. A token without `issuedAt` is old, and one without `expiresAt` does not expire. */
  issuedAt?: number
  expiresAt?: number
  /** The ids of the pages of a person's token, or of the Instagram account of a refreshed token. */
  accounts?: string[]
  /** True if it may inspect tokens, as the app itself may. */
  isOfDeveloper?: true
}

/** A page or an Instagram account. */
export interface SandboxPage {
  /** Digits. */
  id: string
  platform: 'facebook' | 'instagram'
  name: string
  /** The token that may publish there; several pages may share one. It begins with IG for the Instagram login. */
  accessToken: string
  /** The page that an Instagram account is linked to. That page's token sees the account too. */
  pageId?: string
  /** The posts that an Instagram account may publish in 24 hours; 50 by default. */
  quotaTotal?: number
}

export interface SandboxAdAccount {
  /** Digits, without `act_`. */
  id: string
  name: string
  currency: string
  /** IANA name. */
  timezone: string
  /** In the order in which the platform lists them. */
  campaigns: SandboxCampaign[]
  budget?: DataBudget
  /** The list has an empty page before the campaign with this id, and then continues. */
  emptyPageBefore?: string
  /** The maximum rows of an insights list, whatever the requested limit. */
  insightsLimitMax?: number
}

/** How much data one request may ask for. */
interface DataBudget {
  /** Campaigns times days. */
  rows: number
  /** The refusals, used in turn; by default every documented form. */
  answers?: readonly SandboxAnswer[]
  /** The sandbox counts them. */
  refusals?: number
}

export interface SandboxCampaign {
  id: string
  name: string
  /** `YYYY-MM-DDTHH:MM:SS-0300`, in the ad account's offset. */
  createdTime: string
  isMessageCampaign: boolean
  /** The ad that the platform created with it. Callers who create a message campaign receive this id. */
  adId?: string
  effectiveStatus: 'ACTIVE' | 'PAUSED' | 'ARCHIVED' | 'DELETED' | 'IN_PROCESS' | 'WITH_ISSUES'
  /** Only days with deliveries. */
  days: SandboxDay[]
}

interface SandboxDay {
  /** `YYYY-MM-DD` */
  date: string
  metrics: Record<string, string>
}

/** The demo's platform, with the ids that the demo uses. */
export interface DemoModel {
  model: SandboxModel
  accessToken: string
  /** An account with 60 campaigns of every kind. */
  adAccountId: string
  /** An account that refuses even one campaign for a window of more than 31 days. */
  heavyAdAccountId: string
  /** A campaign of the first account that delivers every day. */
  campaignId: string
  campaignBeforeCutoffId: string
  pageId: string
  instagramId: string
  /** The names of the page and of its Instagram account. */
  pageAccessToken: string
}

const DEMO_PAGE_ID = '102938475610293'
const DEMO_INSTAGRAM_ID = '17841400008460056'

/** How far back the made-up deliveries go, including yesterday. */
const DELIVERY_DAYS = 93
const HEAVY_BUDGET_ROWS = 31

/**
 * Makes up accounts that depend only on the arguments. Ids, names and the numbers of a given day depend only on the seed,
 * so the next day adds only that day. `today` and `cutoffDate` are bare dates.
 */
export function makeDemoModel(options: { seed: number; today: string; cutoffDate?: string }): DemoModel {
  const { seed, today, cutoffDate = '2026-03-01' } = options
  const maker = { seed, today, cutoffDate }
  const accessToken = `EAASandboxToken${seed}`
  const pageAccessToken = `EAASandboxPageToken${seed}`
  const adAccountId = `41${digits(seed, 13)}`
  const heavyAdAccountId = `42${digits(seed, 13)}`

  const campaigns = MAIN_PLANS.map((plan, index) => makeCampaign(maker, '-0300', plan, index))
  const heavyCampaigns = Array.from({ length: 14 }, (_, index) => makeCampaign(maker, '+0530', STEADY, 1000 + index))
  return {
    model: {
      tokens: { [accessToken]: [adAccountId, heavyAdAccountId] },
      tokenDetails: { [accessToken]: { accounts: [DEMO_PAGE_ID] } },
      adAccounts: [
        {
          id: adAccountId,
          name: 'Mercado Aurora',
          currency: 'BRL',
          timezone: 'America/Sao_Paulo',
          campaigns: campaigns.toSorted(newestFirst),
          emptyPageBefore: campaigns.toSorted(newestFirst)[27]!.id,
        },
        {
          id: heavyAdAccountId,
          name: 'दीपक बाज़ार',
          currency: 'INR',
          timezone: 'Asia/Kolkata',
          campaigns: heavyCampaigns.toSorted(newestFirst),
          budget: { rows: HEAVY_BUDGET_ROWS },
        },
      ],
      pages: [
        { id: DEMO_PAGE_ID, platform: 'facebook', name: 'Mercado Aurora', accessToken: pageAccessToken },
        {
          ...{ id: DEMO_INSTAGRAM_ID, platform: 'instagram', name: 'mercado.aurora' },
          ...{ accessToken: pageAccessToken, pageId: DEMO_PAGE_ID },
        },
      ],
    },
    pageId: DEMO_PAGE_ID,
    instagramId: DEMO_INSTAGRAM_ID,
    pageAccessToken,
    accessToken,
    adAccountId,
    heavyAdAccountId,
    campaignId: campaigns[MAIN_PLANS.indexOf(STEADY)]!.id,
    campaignBeforeCutoffId: campaigns[MAIN_PLANS.findIndex(({ created }) => created === 'before-cutoff')]!.id,
  }
}

/** The fixed part of a made-up campaign; the seed decides the rest. */
interface CampaignPlan {
  status?: SandboxCampaign['effectiveStatus']
  created?: 'after-cutoff' | 'before-cutoff' | 'last-minutes-before-cutoff' | 'first-minutes-after-cutoff'
  isOtherKind?: true
  /** Delivers every day, on some days, on some days until 40 days ago, or never. */
  delivers: 'every-day' | 'some-days' | 'formerly' | 'never'
}

const STEADY: CampaignPlan = { delivers: 'every-day' }

const plans = (count: number, plan: CampaignPlan): CampaignPlan[] => Array.from({ length: count }, () => plan)

const MAIN_PLANS: readonly CampaignPlan[] = [
  STEADY,
  ...plans(29, { delivers: 'some-days' }),
  ...plans(4, { delivers: 'formerly', status: 'PAUSED' }),
  ...plans(5, { delivers: 'some-days', status: 'ARCHIVED' }),
  { delivers: 'some-days', status: 'DELETED' },
  { delivers: 'some-days', status: 'IN_PROCESS' },
  { delivers: 'some-days', status: 'WITH_ISSUES' },
  ...plans(5, { delivers: 'some-days', created: 'before-cutoff' }),
  { delivers: 'some-days', created: 'last-minutes-before-cutoff' },
  { delivers: 'some-days', created: 'first-minutes-after-cutoff' },
  ...plans(6, { delivers: 'some-days', isOtherKind: true }),
  ...plans(5, { delivers: 'never' }),
]

interface Maker {
  seed: number
  today: string
  cutoffDate: string
}

function makeCampaign(maker: Maker, offset: string, plan: CampaignPlan, index: number): SandboxCampaign {
  const random = seededRandom(maker.seed * 31 + index * 100_003)
  const name = `${random.pick(NAMES)} · ${random.pick(AUDIENCES)}`
  const createdTime = makeCreatedTime(maker, offset, plan, random)
  const share = plan.delivers === 'every-day' ? 1 : 0.25 + 0.7 * random.next()
  const size = random.integer(40, 4000)
  const lastAge = plan.delivers === 'formerly' ? 40 : 1
  const days: SandboxDay[] = []
  for (let age = DELIVERY_DAYS; age >= lastAge; age--) {
    const date = addDays(maker.today, -age)
    const ofDay = seededRandom(maker.seed * 31 + index * 100_003 + Date.parse(date) / 1000)
    if (plan.delivers !== 'never' && date >= createdTime.slice(0, 10) && ofDay.chance(share)) {
      days.push({ date, metrics: makeMetrics(ofDay, size) })
    }
  }
  return {
    id: `1202${digits(maker.seed, 8)}${String(index + 1).padStart(6, '0')}`,
    name,
    createdTime,
    isMessageCampaign: plan.isOtherKind !== true,
    ...(plan.isOtherKind ? {} : { adId: `1203${digits(maker.seed, 8)}${String(index + 1).padStart(6, '0')}` }),
    effectiveStatus: plan.status ?? 'ACTIVE',
    days,
  }
}

function makeCreatedTime(maker: Maker, offset: string, plan: CampaignPlan, random: SeededRandom): string {
  const { today, cutoffDate } = maker
  if (plan.created === 'last-minutes-before-cutoff') return `${addDays(cutoffDate, -1)}T23:30:00${offset}`
  if (plan.created === 'first-minutes-after-cutoff') return `${cutoffDate}T00:10:00${offset}`
  const time = `${two(random.integer(7, 21))}:${two(random.integer(0, 59))}:${two(random.integer(0, 59))}${offset}`
  const days = random.integer(1, 200)
  if (plan.created === 'before-cutoff') return `${addDays(cutoffDate, -days)}T${time}`
  const date = addDays(cutoffDate, plan.delivers === 'every-day' ? 0 : days)
  // In the first months after the cutoff a later date would be in the future.
  return `${date < today ? date : cutoffDate}T${time}`
}

/** One day's metrics, consistent with one another and formatted as the platform does. */
function makeMetrics(random: SeededRandom, size: number): Record<string, string> {
  const delivered = Math.max(1, Math.round(size * (0.4 + 1.2 * random.next())))
  const sent = delivered + random.integer(0, Math.ceil(delivered / 20))
  const read = Math.round(delivered * (0.55 + 0.4 * random.next()))
  const clicks = Math.round(read * 0.15 * random.next() ** 2)
  const spend = Math.max(0.01, Math.round(delivered * (0.9 + 0.8 * random.next())) / 100)
  return {
    marketing_messages_spend: spend.toFixed(2),
    marketing_messages_sent: String(sent),
    marketing_messages_delivered: String(delivered),
    marketing_messages_read: String(read),
    marketing_messages_read_rate: ((100 * read) / delivered).toFixed(6),
    marketing_messages_link_btn_click: String(clicks),
    marketing_messages_link_btn_click_rate: ((100 * clicks) / delivered).toFixed(6),
    marketing_messages_cost_per_delivered: (spend / delivered).toFixed(6),
    // Without clicks there is no cost per click.
    ...(clicks > 0 ? { marketing_messages_cost_per_link_btn_click: (spend / clicks).toFixed(6) } : {}),
  }
}

const newestFirst = (a: SandboxCampaign, b: SandboxCampaign): number =>
  a.createdTime < b.createdTime ? 1 : a.createdTime > b.createdTime ? -1 : 0

const two = (number: number): string => String(number).padStart(2, '0')

const digits = (seed: number, length: number): string =>
  String(seed % 10 ** length)
    .padStart(length, '0')
    .slice(-length)

const NAMES = [
  'Volta às aulas',
  'Dia das Mães: flores e café',
  'Liquidação de inverno',
  'Clube de vantagens de junho',
  'Spring drop',
  'Back in stock: the linen shirt',
  'Birthday voucher',
  'Última chamada: frete grátis',
  'Rebajas de verano',
  'Vuelve tu sabor favorito',
  'Soldes d’été',
  'Frühjahrsputz zum halben Preis',
  'Летняя распродажа',
  'Кешбэк для своих',
  'Θερινές εκπτώσεις',
  'عروض نهاية الأسبوع',
  'تخفيضات رمضان',
  'מבצע סוף עונה',
  'दिवाली धमाका',
  'मानसून सेल',
  '春の新作コレクション',
  '会員限定クーポン',
  '双十一预热',
  '新品上架提醒',
  '여름 세일 안내',
  'โปรโมชั่นกลางเดือน',
  'Ưu đãi cuối tuần',
  'Yaz indirimi 🌞',
]

const AUDIENCES = [
  'VIP',
  'novos clientes',
  'returning',
  'abandoned cart',
  'loja física',
  'A',
  'B',
  '再訪',
  '회원',
  'все',
]
