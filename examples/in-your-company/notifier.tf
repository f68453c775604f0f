locals {
  # What `npx cdk synth` made of app.ts, where the stack has its `env`.
  manifest = jsondecode(file("${path.module}/cdk.out/manifest.json"))
  template = local.manifest.artifacts["workforce-notifier"].properties.stackTemplateAssetObjectUrl
}

resource "aws_cloudformation_stack" "workforce_notifier" {
  name         = "workforce-notifier"
  template_url = replace(local.template, "s3://", "https://s3.ap-southeast-2.amazonaws.com/")
  capabilities = ["CAPABILITY_IAM"]
}

output "timesheets_topic_arn" {
  value = aws_cloudformation_stack.workforce_notifier.outputs["TopicsTimesheetsArn"]
}
