// The values of otp.h's initializers, which Swift cannot see, for the Swift that implements otp.h. Not installed.

#pragma once

#include "otp.h"

static const otp_totp_params default_totp_params = OTP_TOTP_PARAMS_INIT;
static const otp_window default_window = OTP_WINDOW_INIT;
static const otp_uri default_uri = OTP_URI_INIT;
static const otp_record_policy default_record_policy = OTP_RECORD_POLICY_INIT;
static const otp_record_policy default_record_policy_strict = OTP_RECORD_POLICY_STRICT_INIT;
static const otp_answer default_answer = OTP_ANSWER_INIT;
static const otp_enrollment default_enrollment = OTP_ENROLLMENT_INIT;
static const otp_explanation default_explanation = OTP_EXPLANATION_INIT;
