// For the events of a page. Bundle this into it.
import { AnalyticsBrowser } from '@segment/analytics-next'

export function startAnalytics(greenroomUrl, writeKey) {
  const { protocol, host, pathname } = new URL(greenroomUrl)
  const to = { apiHost: `${host}${pathname.replace(/\/$/, '')}/ingest`, protocol: protocol.slice(0, -1) }
  return AnalyticsBrowser.load(
    {
      writeKey,
      // Otherwise the SDK asks Segment for its settings, which does not know the key, and sends nothing.
      // Sampling is off because nothing here accepts the SDK's own metrics.
      cdnSettings: { integrations: { 'Segment.io': { apiKey: writeKey } }, metrics: { sampleRate: 0 } },
    },
    { integrations: { 'Segment.io': to } },
  )
}
