# As users.py, of devise-two-factor. Run with a script, it loads that, in place of `bin/rails runner`, instead.
require "active_record"
require "rails"
require "devise"
require "devise/orm/active_record"
require "devise-two-factor"
require "digest"
require "json"

ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: "#{ENV.fetch("MOVING")}/site.sqlite")

class User < ActiveRecord::Base
  extend Devise::Models
  devise :two_factor_authenticatable, :lockable, maximum_attempts: 100, unlock_strategy: :none,
         otp_secret_encryption_key: "of the check only, of 32 bytes or more"
end

if ARGV[0]
  load ARGV[0]
  exit
end

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table(:users) do |table|
    table.string :email, :encrypted_password
    table.string :encrypted_otp_secret, :encrypted_otp_secret_iv, :encrypted_otp_secret_salt
    table.integer :consumed_timestep
    table.integer :failed_attempts, default: 0
    table.datetime :locked_at
    table.boolean :otp_required_for_login
  end
end

200.times do |number|
  key = Digest::SHA1.digest("devise #{number}")
  confirmed = number % 10 != 2
  failures = number % 10 == 1 ? 3 : 0
  user = User.create!(email: "user#{number}", otp_secret: ROTP::Base32.encode(key), otp_required_for_login: confirmed)
  said = { account: user.email, key: key.unpack1("H*"), type: "totp", failures: failures, confirmed: confirmed }
  if confirmed
    sleep(0.1) while Time.now.to_i % 30 > 27
    said.update(factor: Time.now.to_i / 30, code: user.current_otp)
    raise "a right code is refused" unless user.validate_and_consume_otp!(said[:code])
    raise "devise accepts a code twice" if user.validate_and_consume_otp!(said[:code])
  end
  failures.times { user.increment_failed_attempts }
  puts JSON.generate(said)
end
