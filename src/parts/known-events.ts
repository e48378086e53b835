/** Event types that well-known senders use, to recognise a name that is spelled almost like one. It is no list of what is allowed. */

const github = `branch_protection_rule check_run check_suite code_scanning_alert commit_comment create delete dependabot_alert deploy_key deployment
  deployment_protection_rule deployment_review deployment_status discussion discussion_comment fork github_app_authorization gollum installation
  installation_repositories installation_target issue_comment issues label marketplace_purchase member membership merge_group meta milestone
  org_block organization package page_build ping project_card project projects_v2 projects_v2_item public pull_request pull_request_review
  pull_request_review_comment pull_request_review_thread push registry_package release repository repository_dispatch repository_advisory
  repository_ruleset repository_vulnerability_alert secret_scanning_alert secret_scanning_alert_location security_advisory sponsorship star status
  sub_issues team team_add watch workflow_dispatch workflow_job workflow_run`

/** Titles from the header; the short forms come from the payload. */
const gitlabTitles = [
  'Push Hook',
  'Tag Push Hook',
  'Issue Hook',
  'Note Hook',
  'Merge Request Hook',
  'Wiki Page Hook',
  'Pipeline Hook',
  'Job Hook',
  'Deployment Hook',
  'Release Hook',
  'Feature Flag Hook',
  'Emoji Hook',
  'Member Hook',
  'System Hook',
]
const gitlab = 'tag_push issue note merge_request wiki_page pipeline build job deployment release feature_flag emoji access_token'

const linear = 'Issue Comment IssueLabel Reaction Project ProjectUpdate Cycle Document Initiative User'

const stripe = `account.updated charge.captured charge.dispute.created charge.failed charge.pending charge.refunded charge.succeeded
  checkout.session.completed checkout.session.expired customer.created customer.deleted customer.updated customer.subscription.created
  customer.subscription.deleted customer.subscription.paused customer.subscription.resumed customer.subscription.trial_will_end
  customer.subscription.updated invoice.created invoice.finalized invoice.paid invoice.payment_failed invoice.payment_succeeded invoice.upcoming
  payment_intent.canceled payment_intent.created payment_intent.payment_failed payment_intent.succeeded payment_method.attached payout.failed
  payout.paid setup_intent.succeeded`

const words = (text: string): string[] => text.split(/\s+/)

export const knownEvents: ReadonlySet<string> = new Set([
  ...words(github),
  ...gitlabTitles,
  ...words(gitlab),
  ...words(linear),
  ...words(stripe),
])
