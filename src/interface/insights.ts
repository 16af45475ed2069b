import type { CountedPage } from './pages.js'

export interface AdAccount {
  id: string
  name: string
  /** ISO 4217, such as `EUR`. */
  currency: string
  /** IANA, such as `Europe/Berlin`. */
  timezone: string
}

/** Bare dates `YYYY-MM-DD`, both included, at most 93 days (interface 4.2). */
export interface InsightsWindow {
  startDate: string
  endDate: string
}

/** interface 4.2 */
export interface DailyInsightsQuery extends InsightsWindow {
  /** The nextCursor of the page before. */
  after?: string
}

/** interface 2.3: metrics are numbers as strings; the platform may send others. */
export interface DayRow {
  marketing_messages_spend?: string
  marketing_messages_delivered?: string
  marketing_messages_read_rate?: string
  marketing_messages_link_btn_click?: string
  marketing_messages_link_btn_click_rate?: string
  marketing_messages_cost_per_delivered?: string
  marketing_messages_cost_per_link_btn_click?: string
  campaign_name?: string
  campaign_id?: string
  /** `YYYY-MM-DD`, as is date_stop. */
  date_start: string
  date_stop?: string
  [metric: string]: unknown
}

/** interface 2.3 */
export interface CampaignEntry {
  campaignId: string
  campaignName: string
  /** `YYYY-MM-DDTHH:MM:SS+hhmm`, in the ad account's own offset. */
  createdTime: string
  /** One row for each delivered day of the window, oldest first. */
  days: DayRow[]
}

/** The envelope of interface 2.3. */
export interface DailyInsightsList extends CountedPage<CampaignEntry> {
  /** More pages exist, even after a page of 0 items. */
  mayHaveMore: boolean
}

/** The same for people. */
export interface CountedInsightsList extends DailyInsightsList {
  /** Campaigns of the page that delivered in the window and were created before `cutoffDate`. */
  leftOut: number
  /** `YYYY-MM-DD`: campaigns from before are left out. */
  cutoffDate: string
}

export interface NewAdAccount extends AdAccount {
  accessToken?: string
  /** False stores the token without asking the platform about it. */
  check?: boolean
}

/** Changes the fields that are named. */
export interface AdAccountPatch extends Partial<Omit<AdAccount, 'id'>> {
  /** Null disconnects the account. */
  accessToken?: string | null
  /** False stores the token without asking the platform about it. */
  check?: boolean
}

export interface AdAccountDeletion {
  id: string
}

export interface ConnectedAdAccount extends AdAccount {
  connected: boolean
  /** ISO 8601: when the access token ends. Only in the answer to connecting the account, where the platform tells it. */
  tokenExpiresAt?: string
}
