import { useUrlQuery } from '../navigation.ts'
import { campaignsToCsv } from './csv.ts'
import { changeOf, METRICS, metricOf, rankCampaigns } from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import type { Shown } from './format.ts'
import { words } from './words.ts'

/** Every campaign in sum; the name leads to its days. */
export function Campaigns({ account, window, campaigns, before, chosen, metric, format }: Shown) {
  const { setQuery } = useUrlQuery()
  return (
    <FiguresTable
      className="campaigns"
      title={words.byCampaign(words.metric[metric])}
      label={words.campaigns}
      file={{
        name: words.fileName(account.name, 'campaigns', window.startDate, window.endDate),
        toCsv: () => campaignsToCsv(campaigns, account.currency),
        rows: campaigns.reduce((many, { days }) => many + days.length, 0),
      }}
      heads={[words.campaign, ...METRICS.map((one) => words.metric[one]), words.beforeHead(words.metric[metric])]}
      rows={rankCampaigns(campaigns, before, metric).map(
        ({ campaign: { campaignId, campaignName }, sum, sumBefore }) => [
          campaignId,
          <button
            key="name"
            type="button"
            class="campaign-name"
            aria-pressed={campaignId === chosen}
            onClick={() => setQuery({ campaign: campaignId })}
          >
            <bdi>{campaignName || campaignId}</bdi>
          </button>,
          ...METRICS.map((one) => format(metricOf(sum, one), one)),
          before && words.change(changeOf(metricOf(sum, metric), metricOf(sumBefore, metric))),
        ],
      )}
    />
  )
}
