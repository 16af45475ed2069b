-- Shops tell an order several times in a second, as it is made, paid and refunded, and have states of their own. So an order
-- says whether it is paid and refunded apart from whether it is cancelled, and a source which of its shop's states count.
--
-- compatible with the program before: it leaves these at what they were for it.

alter table purchases
  -- none: not paid yet; implied by the state of the order; or stated by the shop, with a time. Of versions of one time a
  -- stated payment is newer than others.
  add column payment     text not null default 'implied' check (payment in ('none', 'implied', 'stated')),
  -- The newest version says that all was refunded, and not how: the refund that stands for it counts.
  add column is_refunded boolean not null default false;

alter table sources
  -- WOOCOMMERCE alone: states of orders that count without a date of payment, and states that never count.
  add column counted_statuses   text[] not null default '{}',
  add column uncounted_statuses text[] not null default '{}';
