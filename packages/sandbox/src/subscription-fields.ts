const names = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The fields that a page can be subscribed to: facebook-python-business-sdk, adobjects/page.py, SubscribedFields. */
export const PAGE_FIELDS = names(`
  affiliation attire awards bio birthday category checkins company_overview conversations culinary_team current_location
  description email feature_access_list feed founded general_info general_manager hometown hours inbox_labels
  invoice_access_invoice_change invoice_access_onboarding_status_active leadgen leadgen_fat live_videos local_delivery
  location marketing_message_clicks marketing_message_deliveries marketing_message_delivery_failed
  marketing_message_echoes marketing_message_reads mcom_invoice_change members mention message_context
  message_deliveries message_echoes message_edits message_mention message_reactions message_reads messages
  messaging_account_linking messaging_appointments messaging_checkout_updates messaging_customer_information
  messaging_direct_sends messaging_fblogin_account_linking messaging_feedback messaging_game_plays messaging_handovers
  messaging_in_thread_lead_form_submit messaging_integrity messaging_optins messaging_optouts messaging_payments
  messaging_policy_enforcement messaging_postbacks messaging_pre_checkouts messaging_referrals mission name
  page_about_story page_change_proposal page_upcoming_change parking payment_options payment_request_update
  personal_info personal_interests phone picture price_range product_review products public_transit ratings
  registration response_feedback send_cart standby story_poll_response story_share user_action
  video_text_question_responses videos website
`)

/** Those of an Instagram account by its own login: .../documentation/instagram-platform/webhooks/fields. */
export const INSTAGRAM_FIELDS = names(`
  comments live_comments mentions message_edit message_reactions messages messaging_handover messaging_optins
  messaging_postbacks messaging_referral messaging_seen standby
`)
