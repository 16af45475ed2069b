// The events of a page: a bundler puts this into it.
import { AnalyticsBrowser } from '@segment/analytics-next'

export function startAnalytics(greenroomUrl, writeKey) {
  const { protocol, host, pathname } = new URL(greenroomUrl)
  const to = { apiHost: `${host}${pathname.replace(/\/$/, '')}/ingest`, protocol: protocol.slice(0, -1) }
  return AnalyticsBrowser.load(
    {
      writeKey,
      // Without these settings the SDK asks Segment for them, which does not know the key, and nothing is sent at all.
      // It would also report measurements of itself, which nothing here takes.
      cdnSettings: { integrations: { 'Segment.io': { apiKey: writeKey } }, metrics: { sampleRate: 0 } },
    },
    { integrations: { 'Segment.io': to } },
  )
}
