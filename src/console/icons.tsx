import type { PostStatus } from '../interface/post-status.ts'

// Every status has its own shape, so that it can be recognized without colour.
const PATHS = {
  DRAFT: 'M4 17.2V20h2.8L17 9.8 14.2 7 4 17.2ZM15.6 5.6l2.8 2.8',
  WAITING_FOR_APPROVAL: 'M7 4h10M7 20h10M8 4v3.2L12 12l4-4.8V4M8 20v-3.2L12 12l4 4.8V20',
  REJECTED: 'M9 7 4.5 11.5 9 16M5 11.5h9a5 5 0 0 1 0 8h-2',
  SCHEDULED: 'M12 7v5l3.2 2M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17Z',
  PUBLISHING: 'M12 20V6M6.5 11 12 5.5 17.5 11',
  PUBLISHED: 'm5 12.5 4.6 4.6L19 7.5',
  FAILED: 'M12 4 2.8 19.5h18.4L12 4ZM12 10v4.4M12 17v.1',
  approvals: 'M9 11.5 11.5 14 16 9M5 4h14v16H5z',
  inbox: 'M4 5h16v14H4zM4 13.5h4.5l1.5 2.5h4l1.5-2.5H20',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8.5 3.5V8M15.5 3.5V8',
  audience:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c.4-3.8 3-6 6.5-6s6.1 2.2 6.5 6M16 4.4a3.5 3.5 0 0 1 0 6.2M18 14.6c2 .9 3.2 2.8 3.5 5.4',
  insights: 'M4 20V4M4 20h16M7.5 15.5l4-4.5 3 3L20 7.5',
  activity: 'M3.5 12h4l3-7 4 14 2.5-7h3.5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4',
  FB_PAGE: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 20v-7.8c0-2.3.9-3.5 3-3.5M9.4 12.8h5',
  INSTAGRAM_ACCOUNT:
    'M7.5 4h9A3.5 3.5 0 0 1 20 7.5v9a3.5 3.5 0 0 1-3.5 3.5h-9A3.5 3.5 0 0 1 4 16.5v-9A3.5 3.5 0 0 1 7.5 4ZM12 8.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7ZM16.7 7.2v.1',
  crowded: 'M3 12h6.5M6.5 8.5 10 12l-3.5 3.5M21 12h-6.5M17.5 8.5 14 12l3.5 3.5',
  plus: 'M12 5v14M5 12h14',
  person: 'M12 11.5a3.8 3.8 0 1 0 0-7.5 3.8 3.8 0 0 0 0 7.5ZM4.5 20.5c.5-4.2 3.5-6.6 7.5-6.6s7 2.4 7.5 6.6',
  left: 'm14.5 5-7 7 7 7',
  right: 'm9.5 5 7 7-7 7',
  down: 'm5 9.5 7 7 7-7',
  play: 'M8.5 5.5v13l10-6.5-10-6.5Z',
  next: 'M5 12h13M12.5 6.5 18 12l-5.5 5.5',
  link: 'M10 14 20 4M14 4h6v6M18 13.5V20H4V6h6.5',
  star: 'm12 3.8 2.5 5.2 5.7.8-4.1 4 1 5.6-5.1-2.7-5.1 2.7 1-5.6-4.1-4 5.7-.8L12 3.8Z',
  cake: 'M4 20h16v-7H4zM4 16c2 1.5 3.3-1 5.3 0s3.3 1 5.4 0 3.3-1 5.3 0M12 13V8.5M12 6V4.4',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4 2.5-2.5 5 4.5M15.5 9.5v.1',
  talk: 'M4 5h16v11h-9l-4.5 4v-4H4V5Z',
  spark: 'M12 3.5 13.9 10l6.6 2-6.6 2L12 20.5 10.1 14l-6.6-2 6.6-2L12 3.5Z',
  download: 'M12 4v11M7 10.5 12 15.5l5-5M5 20h14',
  close: 'm6 6 12 12M18 6 6 18',
  menu: 'M12 6v.1M12 12v.1M12 18v.1',
} as const satisfies Record<PostStatus, string> & Record<string, string>

export type IconName = keyof typeof PATHS

/** An icon next to a text with the same meaning; hidden from screen readers. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg class={`icon ${className}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

/** An icon without a text next to it, so it has a label. */
export function NamedIcon({ name, label, className = '' }: { name: IconName; label: string; className?: string }) {
  return (
    <svg class={`icon ${className}`} viewBox="0 0 24 24" role="img" aria-label={label}>
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The logo, also in icon.png. The browser would load a separate SVG file as a document, at a hundred times the cost. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#1d6b4f" />
      <path
        d="M10 23V11a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v12M8 23h16"
        fill="none"
        stroke="#fff"
        stroke-width="2.4"
        stroke-linecap="round"
      />
      <circle cx="18.6" cy="16.6" r="1.5" fill="#fff" />
    </svg>
  )
}
