import { useUrlQuery } from '../navigation.ts'
import { TableFrame } from '../ui.tsx'
import { campaignsToCsv } from './csv.ts'
import { ExportButton } from './export-button.tsx'
import { changeOf, METRICS, metricOf, rankCampaigns } from './figures.ts'
import type { Shown } from './format.ts'
import { words } from './words.ts'

/** Every campaign in sum; the name leads to its days. */
export function Campaigns({ account, window, campaigns, before, metric, format }: Shown) {
  const { setQuery } = useUrlQuery()
  return (
    <section class="campaigns">
      <div class="bar">
        <h3>{words.byCampaign(words.metric[metric])}</h3>
        <ExportButton
          name={words.fileName(account.name, 'campaigns', window.startDate, window.endDate)}
          toCsv={() => campaignsToCsv(campaigns, account.currency)}
          rows={campaigns.reduce((many, { days }) => many + days.length, 0)}
        />
      </div>
      <TableFrame label={words.campaigns}>
        <thead>
          <tr>
            <th scope="col">{words.campaign}</th>
            {METRICS.map((one) => (
              <th key={one} scope="col" class="number">
                {words.metric[one]}
              </th>
            ))}
            <th scope="col" class="number">
              {words.beforeHead(words.metric[metric])}
            </th>
          </tr>
        </thead>
        <tbody>
          {rankCampaigns(campaigns, before, metric).map(
            ({ campaign: { campaignId, campaignName }, sum, sumBefore }) => (
              <tr key={campaignId}>
                <th scope="row">
                  <button type="button" class="campaign-name" onClick={() => setQuery({ campaign: campaignId })}>
                    <bdi>{campaignName || campaignId}</bdi>
                  </button>
                </th>
                {METRICS.map((one) => (
                  <td key={one} class="number">
                    {format(metricOf(sum, one), one)}
                  </td>
                ))}
                <td class="number">
                  {before && words.change(changeOf(metricOf(sum, metric), metricOf(sumBefore, metric)))}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </TableFrame>
    </section>
  )
}
